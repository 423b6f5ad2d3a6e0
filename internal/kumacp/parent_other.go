//go:build !linux

package kumacp

import "syscall"

// dieWithParent does nothing: a process that is killed leaves its control plane
// behind here.
func dieWithParent() *syscall.SysProcAttr { return nil }
