package embedded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// files reads and writes below one directory. Names are slash-separated paths
// relative to it; nothing outside can be reached, not even by a symbolic link.
type files struct{ directory string }

const (
	extension = ".yaml"
	lockFile  = ".lock"

	// longestFile is what file systems commonly allow for a name.
	longestFile = 255
)

// fileName is the name of the file of a resource; false when no resource can be
// called like that.
func fileName(k spec.Kind, mesh, name string) (string, bool) {
	if !spec.IsDNSSubdomain(name) || len(name)+len(extension) > longestFile {
		return "", false
	}
	if k.Scope == spec.Global {
		return path.Join(k.Path, name+extension), true
	}
	return path.Join(k.Path, mesh, name+extension), spec.IsDNSSubdomain(mesh)
}

// within runs do in the directory; a missing one is [fs.ErrNotExist].
func (f files) within(do func(*os.Root) error) error {
	root, err := os.OpenRoot(f.directory)
	if err != nil {
		return err
	}
	err = do(root)
	return errors.Join(err, root.Close())
}

// read returns a file and the time of its last modification.
func (f files) read(name string) (data []byte, modified time.Time, err error) {
	err = f.within(func(root *os.Root) error {
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

// exists reports whether there is such a file.
func (f files) exists(name string) (bool, error) {
	err := f.within(func(root *os.Root) error {
		_, err := root.Stat(name)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// names returns the resources that have a file in a folder, without extension.
// What is hidden or not named like a resource is not one.
func (f files) names(folder string) ([]string, error) {
	return f.entries(folder, func(e fs.DirEntry) (string, bool) {
		name, ok := strings.CutSuffix(e.Name(), extension)
		return name, ok && !e.IsDir()
	})
}

// folders returns the folders in a folder.
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
		if name, ok := wanted(e); ok && spec.IsDNSSubdomain(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// writing lets one writer of this process work at a time, whichever server it
// belongs to: several may share a directory.
var writing sync.Mutex

// exclusively runs do while no other writer works on the directory, which it
// creates when it is missing.
func (f files) exclusively(do func() error) (err error) {
	writing.Lock()
	defer writing.Unlock()
	if err := os.MkdirAll(f.directory, 0o755); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(f.directory, lockFile))
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.directory, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return do()
}

// write replaces a file as a whole; its last modification is the given time.
// When it returns, the file outlives a crash of the machine; until then, there
// is the old one or the new one. The caller must be the only writer. Only the
// owner may read the file: it may hold a secret.
func (f files) write(name string, data []byte, modified time.Time) error {
	folder, base := path.Split(name)
	draft := folder + ".draft"
	return f.within(func(root *os.Root) error {
		if err := makeFolders(root, path.Clean(folder)); err != nil {
			return err
		}
		if err := root.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a writer that was killed
			return err
		}
		file, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		err = errors.Join(err, root.Chtimes(draft, modified, modified))
		if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
			return fmt.Errorf("write %s: %w", base, err)
		}
		if err := root.Rename(draft, name); err != nil {
			return err
		}
		return syncFolder(root, folder)
	})
}

// remove deletes a file, or a folder with all that is in it. What is missing is
// no error.
func (f files) remove(name string) error {
	return f.within(func(root *os.Root) error {
		if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err := root.RemoveAll(name); err != nil {
			return err
		}
		return syncFolder(root, path.Dir(name))
	})
}

// makeFolders creates a folder with all above it, so that they outlive a crash.
func makeFolders(root *os.Root, folder string) error {
	if info, err := root.Stat(folder); err == nil && info.IsDir() {
		return nil
	}
	if err := makeFolders(root, path.Dir(folder)); err != nil {
		return err
	}
	if err := root.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(root, path.Dir(folder))
}

// syncFolder makes the names in a folder outlive a crash.
func syncFolder(root *os.Root, folder string) error {
	dir, err := root.Open(path.Clean(folder))
	if err != nil {
		return err
	}
	return errors.Join(ignoreUnsupported(dir.Sync()), dir.Close())
}

// ignoreUnsupported passes over systems on which folders cannot be synced, such
// as Windows: there, names are as durable as the file system makes them.
func ignoreUnsupported(err error) error {
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
