package tool

// Empty reports whether the registry keeps nothing, for tests of removal.
func (r *Registry) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tools) == 0 && len(r.filters) == 0 && len(r.guards) == 0 && len(r.lanes) == 0
}
