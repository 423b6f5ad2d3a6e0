package embedded

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// files reads and writes files below one directory. Names are slash-separated paths
// relative to it. Files outside cannot be reached, not even through a symbolic link.
type files struct{ directory string }

const (
	extension = ".yaml"
	lockFile  = ".lock"

	// longestFile is the limit for file names on common file systems.
	longestFile = 255
)

// LongestName is the maximum length of the name of a resource, which is part of the
// name of its file. Kuma allows 253 characters.
const LongestName = longestFile - len(extension)

var errNotRegular = errors.New("it is not a regular file")

// fileName returns the name of the file of a resource; false if the name is not valid
// for a resource.
func fileName(k def.Kind, mesh, name string) (string, bool) {
	if !kuma.IsDNSSubdomain(name) || len(name) > LongestName {
		return "", false
	}
	if k.Scope == def.Global {
		return path.Join(k.Path, name+extension), true
	}
	return path.Join(k.Path, mesh, name+extension), kuma.IsDNSSubdomain(mesh)
}

// full returns the name of a file in the file system, for messages.
func (f files) full(name string) string { return filepath.Join(f.directory, filepath.FromSlash(name)) }

// within calls do with the directory; a missing directory is [fs.ErrNotExist].
func (f files) within(do func(*os.Root) error) error {
	root, err := os.OpenRoot(f.directory)
	if err != nil {
		return err
	}
	err = do(root)
	return errors.Join(err, root.Close())
}

// read returns the content of a file and the time of its last modification.
func (f files) read(name string) (data []byte, modified time.Time, err error) {
	err = f.within(func(root *os.Root) error {
		// To open a named pipe would wait for a writer.
		if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
			return cmp.Or(err, errNotRegular)
		}
		file, err := root.Open(name)
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // nothing was written to it
		info, err := file.Stat()
		if err != nil {
			return err
		}
		modified = info.ModTime()
		data, err = io.ReadAll(file)
		return err
	})
	return data, modified, err
}

// exists reports whether a file exists; a symbolic link exists whether or not its
// target does.
func (f files) exists(name string) (bool, error) {
	err := f.within(func(root *os.Root) error {
		_, err := root.Lstat(name)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// names returns the names of the resource files in a directory, without
// extension. It skips hidden files and invalid names.
func (f files) names(folder string) ([]string, error) {
	return f.entries(folder, func(e fs.DirEntry) (string, bool) {
		name, ok := strings.CutSuffix(e.Name(), extension)
		return name, ok && !e.IsDir()
	})
}

// folders returns the directories in a directory.
func (f files) folders(folder string) ([]string, error) {
	return f.entries(folder, func(e fs.DirEntry) (string, bool) { return e.Name(), e.IsDir() })
}

func (f files) entries(folder string, wanted func(fs.DirEntry) (string, bool)) ([]string, error) {
	var entries []fs.DirEntry
	err := f.within(func(root *os.Root) (err error) {
		entries, err = fs.ReadDir(root.FS(), folder)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := wanted(e); ok && kuma.IsDNSSubdomain(name) {
			names = append(names, name)
		}
	}
	return names, nil
}
