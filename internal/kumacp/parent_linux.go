package kumacp

import "syscall"

// dieWithParent has the kernel stop the process when its parent is gone, however
// that ended.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
