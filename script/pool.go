package script

// machine gives one that stands at the snapshot: a waiting one, else a new one.
func (e *Engine) machine() (*machine, error) {
	s, err := e.start()
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, closed()
	}
	var m *machine
	if n := len(e.ready); n > 0 {
		m, e.ready = e.ready[n-1], e.ready[:n-1]
	}
	if !e.making && len(e.ready) < e.options.Warm {
		e.making = true
		e.makers.Go(func() { e.fill(s) })
	}
	e.mu.Unlock()
	if m != nil {
		return m, nil
	}
	return s.first.restore(s.runtime, s.engine)
}

// fill makes waiting instances until there are enough.
func (e *Engine) fill(s *started) {
	for {
		e.mu.Lock()
		if e.closed || len(e.ready) >= e.options.Warm {
			e.making = false
			e.mu.Unlock()
			return
		}
		e.mu.Unlock()
		m, err := s.first.restore(s.runtime, s.engine)
		e.mu.Lock()
		if err != nil || e.closed {
			e.making = false
			e.mu.Unlock()
			if err != nil {
				e.options.Log.Warn("no instance could be made ready", "error", err)
			} else {
				m.close()
			}
			return
		}
		e.ready = append(e.ready, m)
		e.mu.Unlock()
	}
}
