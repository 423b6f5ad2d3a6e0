package embedded

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock waits until nothing else locks the file, in this or another process, and locks it
// until unlock. The system releases the lock when the process ends.
func lock(name string) (unlock func() error, err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	const all = ^uint32(0) // in the lower and in the upper half of the length
	handle, at := windows.Handle(file.Fd()), new(windows.Overlapped)
	if err := windows.LockFileEx(handle, windows.LOCKFILE_EXCLUSIVE_LOCK, 0, all, all, at); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error {
		return errors.Join(windows.UnlockFileEx(handle, 0, all, all, at), file.Close())
	}, nil
}
