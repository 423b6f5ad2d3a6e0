package oracle

import "syscall"

// dieWithParent makes the kernel kill the process when its parent ends.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
