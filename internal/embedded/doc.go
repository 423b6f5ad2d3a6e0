// Package embedded is a control plane without a server: the REST contract of a
// standalone zone, served in process, on a directory of YAML files.
//
// Each resource is one file in universal format,
//
//	<directory>/<path of the kind>/<mesh>/<name>.yaml
//	<directory>/<path of the kind>/<name>.yaml         (kinds outside meshes)
//
// that other tools can read, and that users may edit: every request reads the
// files again, and checks and completes them as if they had been sent. An error
// names the file and the line. Files are replaced atomically, and acknowledged
// writes survive a crash. Reads and requests for tokens never write. A symbolic
// link within the directory is kept: a write replaces its target.
//
// It follows the contract of Kuma 2.14 or of Kuma 3.0. The file .kuma-version in the
// directory contains which: the first write creates it, and all control planes on the
// directory have that release from then on. A directory that has resources but no such
// file is one of Kuma 2.14. Changing the file upgrades the control plane: as Kuma 3.0, it
// ignores resources of the kinds and fields that 3.0 removed, and the next write of a
// resource drops the fields.
//
// The modification time of a resource is the modification time of its file. The creation time
// is a field of the document.
//
// It extends the contract by conditional requests: a PUT with "If-None-Match: *" creates the
// resource or fails with status 412, and never replaces one. A PUT or DELETE with If-Match and
// the quoted modification time fails with status 409 if the resource has another one.
//
// The package does not depend on particular kinds: it serves all that package
// kinds describes. Only the rules of the contract about meshes, their proxies, tokens
// and federation name a kind (mesh.go, item.go, tokens.go, discovery.go).
package embedded
