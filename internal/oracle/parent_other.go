//go:build !linux

package oracle

import "syscall"

// dieWithParent does nothing: on this system, the control plane of a killed process
// keeps running.
func dieWithParent() *syscall.SysProcAttr { return nil }
