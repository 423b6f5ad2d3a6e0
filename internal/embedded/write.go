package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// exclusively calls do while no other writer uses the directory, which it creates if
// it is missing. The lock also excludes other servers of this process.
func (f files) exclusively(do func() error) (err error) {
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

// draft is the temporary name of a file.
const draft = ".draft"

// write replaces a file atomically and sets its modification time. A symbolic link is
// kept, and its target is replaced. When write returns, the file survives a crash of
// the machine; until then, the old or the new file does. The caller must be the only
// writer. Only the owner may read the file: it may contain a secret.
func (f files) write(name string, data []byte, modified time.Time) error {
	err := f.within(func(root *os.Root) error {
		if err := makeFolders(root, path.Dir(name)); err != nil {
			return err
		}
		target, err := follow(root, name)
		if err != nil {
			return err
		}
		folder, _ := path.Split(target)                   // not path.Dir: ".." may follow a symbolic link
		if err := removeDraft(root, folder); err != nil { // left by a writer that was killed
			return err
		}
		if err := replace(root, target, folder+draft, data, modified); err != nil {
			return errors.Join(err, removeDraft(root, folder))
		}
		return syncFolder(root, folder)
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", f.full(name), err)
	}
	return nil
}

// replace writes the draft and renames it.
func replace(root *os.Root, name, draft string, data []byte, modified time.Time) error {
	file, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, root.Chtimes(draft, modified, modified))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return root.Rename(draft, name)
}

func removeDraft(root *os.Root, folder string) error {
	if err := root.Remove(folder + draft); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// follow returns the target of a name through symbolic links, which need not exist.
func follow(root *os.Root, name string) (string, error) {
	const most = 40 // maximum number of successive links, as on Linux
	for range most {
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return name, err
		}
		target, err := root.Readlink(name)
		if err != nil {
			return "", err
		}
		if target = filepath.ToSlash(target); path.IsAbs(target) || filepath.VolumeName(target) != "" {
			return "", fmt.Errorf("the symbolic link to %s is absolute: only relative links within the directory are followed", target)
		}
		folder, _ := path.Split(name)
		name = folder + target
	}
	return "", fmt.Errorf("more than %d symbolic links in succession", most)
}

// remove deletes a file, or a directory with its content. A missing file is not
// an error.
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

// makeFolders creates a directory and its parents, so that they survive a
// crash.
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

// syncFolder makes the entries of a directory survive a crash.
func syncFolder(root *os.Root, folder string) error {
	dir, err := root.Open(cmp.Or(strings.TrimRight(folder, "/"), "."))
	if err != nil {
		return err
	}
	return errors.Join(ignoreUnsupported(dir.Sync()), dir.Close())
}

// ignoreUnsupported ignores errors of systems on which directories cannot be
// synced, such as Windows: there, entries are as durable as the file system
// makes them.
func ignoreUnsupported(err error) error {
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
