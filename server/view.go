package server

import (
	"context"
	"net/http"
	"time"

	"fairlead/command"
	"fairlead/fault"
)

// watchView streams a view: one frame "view" for each value it takes, the present
// one first. A view that fails ends its stream with a frame "error".
func (s *Server) watchView(w http.ResponseWriter, c *call, v command.View, q command.Query) error {
	if v.Watch == nil {
		return fault.New(fault.Invalid, "server.view", "The view %s cannot be watched, only read.", v.Name)
	}
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	type seen struct {
		value any
		err   error
	}
	values := make(chan seen)
	go func() {
		defer close(values)
		for value, err := range v.Watch(ctx, q) {
			select {
			case values <- seen{value, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	out := openSSE(w)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case got, open := <-values:
			if !open {
				return nil
			}
			if got.err != nil {
				_, problem := problemOf(got.err)
				_ = out.event("error", "", problem.Error) // plain strings
				_ = out.flush(s.now())                    // the stream ends here either way
				return nil
			}
			if err := out.event("view", "", got.value); err != nil {
				s.options.Log.Error("a view cannot be written as JSON", "view", v.Name, "error", err)
				return nil
			}
		case <-beat.C:
			out.beat()
		case <-c.device.gone:
			return nil
		case <-s.closing:
			return nil
		}
		if out.flush(s.now()) != nil {
			return nil // the viewer is gone
		}
	}
}
