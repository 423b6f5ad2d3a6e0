package oracle

// Exited is closed when the process has ended.
func (p *process) Exited() <-chan struct{} { return p.exited }
