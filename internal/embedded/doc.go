// Package embedded is a control plane without a server: the REST contract of a
// standalone zone, answered in process, on a directory of YAML files.
//
// Each resource is one file in universal format,
//
//	<directory>/<path of the kind>/<mesh>/<name>.yaml
//	<directory>/<path of the kind>/<name>.yaml         (kinds outside meshes)
//
// that other tools can read, and that people may write by hand: every request
// reads the files afresh, checks and completes them as if they had been sent.
// An error in one names the file and the line. Files are replaced as a whole,
// so a reader never sees half of one, and what was acknowledged outlives a
// crash. Reads never write, nor do requests for tokens. A symbolic link within
// the directory stays one: a write replaces the file that it leads to.
//
// The time of the last modification is the file's own. The creation time is a
// member of the document.
//
// It goes beyond the contract in one point: a PUT with "If-None-Match: *" creates
// the resource or fails with status 412, and never replaces one.
//
// What a kind looks like is none of this package's business: it serves whatever
// package kinds describes. Only the rules of the contract about meshes, the
// proxies in them, and tokens name a kind (mesh.go, item.go, tokens.go).
package embedded
