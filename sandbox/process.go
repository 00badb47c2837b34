package sandbox

// Process is a running child.
type Process struct{}
