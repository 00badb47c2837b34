package tool_test

import (
	"context"
	"errors"
	"testing"

	"fairlead/tool"
)

// patient gets ready while the log is written.
type patient struct{ probe }

func (*patient) Waits(*tool.Call) bool { return true }

func (b breaking) Sync(ctx context.Context) error {
	if err := b.store.unsynced.Load(); err != nil && *err != nil {
		return *err
	}
	return b.Writer.Sync(ctx)
}

func TestACallThatWaitsItselfHasNoEffectBeforeTheDiskHasIt(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	ready, effects := 0, 0
	body := func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		ready++
		if err := c.Durable(); err != nil {
			return nil, err
		}
		effects++
		return tool.Text("done"), nil
	}
	h.register(&patient{probe{name: "patient", body: body}})
	rounds := h.store.count()
	if out := h.run(h.call("patient", ""))[0]; out.Logged.Failed || effects != 1 {
		t.Errorf("%+v, %d effects", out.Logged, effects)
	}
	if n := h.store.count() - rounds; n != 1 {
		t.Errorf("the call waited for the disk %d times, want once", n)
	}
	full := errors.New("the disk is full")
	h.store.unsynced.Store(&full)
	defer h.store.unsynced.Store(nil)
	if out := h.run(h.call("patient", ""))[0]; out.Logged.Code != tool.CodeNotLogged || ready != 2 || effects != 1 {
		t.Errorf("with a full disk: %+v, ready %d, %d effects", out.Logged, ready, effects)
	}
}

func TestACallThatOnlySaysItWaitsIsNotBelieved(t *testing.T) {
	h := newHouse(t)
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	h.register(&patient{probe{name: "patient"}})
	full := errors.New("the disk is full")
	h.store.unsynced.Store(&full)
	defer h.store.unsynced.Store(nil)
	if out := h.run(h.call("patient", ""))[0]; out.Logged.Code != tool.CodeNotLogged {
		t.Errorf("%+v", out.Logged)
	}
}
