package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Ignored is a file that looks like a resource but is not read as one.
type Ignored struct {
	File   string // slash-separated, relative to the directory
	Advice string // how to make it a resource; no period
}

// Ignored returns the YAML files in the directory that are not at the path of a
// resource, sorted. It skips hidden files and directories, and targets of
// symbolic links that are resources.
func (s *Server) Ignored() ([]Ignored, error) {
	var names []string
	err := s.files.within(func(root *os.Root) (err error) {
		names, err = s.misplaced(root)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ignored []Ignored
	for _, name := range names {
		ignored = append(ignored, Ignored{File: name, Advice: s.advise(name)})
	}
	return ignored, nil
}

func (s *Server) misplaced(root *os.Root) ([]string, error) {
	var names []string
	var linked []fs.FileInfo // targets of symbolic links of resources
	err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		isLink := e != nil && e.Type() == fs.ModeSymlink
		switch {
		case err != nil: // deleted meanwhile, or an unreadable directory
			return fs.SkipDir
		case name != "." && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case !isLink && !e.Type().IsRegular() || !isYAML(name):
		case !s.isResource(name):
			names = append(names, name)
		case isLink:
			if info, err := root.Stat(name); err == nil {
				linked = append(linked, info)
			}
		}
		return nil
	})
	return slices.DeleteFunc(names, func(name string) bool {
		info, err := root.Stat(name)
		return err == nil && slices.ContainsFunc(linked, func(l fs.FileInfo) bool { return os.SameFile(l, info) })
	}), err
}

func isYAML(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(path.Ext(name)))
}

// isResource reports whether a file is read as a resource.
func (s *Server) isResource(file string) bool {
	folder, _, _ := strings.Cut(file, "/")
	i := slices.IndexFunc(s.kinds, func(k def.Kind) bool { return k.Path == folder })
	if i < 0 {
		return false
	}
	within := strings.Trim(strings.TrimPrefix(path.Dir(file), folder), "/")
	want, ok := fileName(s.kinds[i], within, strings.TrimSuffix(path.Base(file), extension))
	return ok && want == file
}

// advise returns how to change a file so that it is read.
func (s *Server) advise(file string) string {
	r, ok := s.described(file)
	if !ok {
		return "the file of a resource must be named <path>/<mesh>/<name>.yaml, or <path>/<name>.yaml outside meshes, where <path> is the path " +
			"of the kind in the API, such as " + meshesPath
	}
	k, _ := kinds.Find(r.Type)
	if k.Removed.AppliesTo(s.controlPlane.Release) {
		return fmt.Sprintf("delete it: Kuma %s removed the kind %s", k.Removed.In, k.Name)
	}
	name, ok := fileName(k, r.Mesh, r.Name)
	if !ok {
		return fmt.Sprintf(`rename %s: use at most %d lowercase letters, digits, "-" and "."`, r.Key(), LongestName)
	}
	if taken, err := s.files.exists(name); taken || err != nil {
		return fmt.Sprintf("delete it, or merge it into %s, which contains the same resource", name)
	}
	return "rename it to " + name
}

// described returns the resource that a file describes; false if it does not describe
// one.
func (s *Server) described(file string) (kuma.Resource, bool) {
	data, _, err := s.files.read(file)
	if err != nil {
		return kuma.Resource{}, false
	}
	var reader document.Reader
	found, err := reader.Text(data)
	if err != nil {
		return kuma.Resource{}, false
	}
	d, err := found.Only()
	return d.Resource, err == nil
}
