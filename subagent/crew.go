package subagent

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// Words of the log for what passes between helpers and those they work for.
const (
	origin    = "helper"        // of messages that report
	above     = "parent"        // of messages that give work
	source    = "helpers"       // of reports that wake nobody
	complaint = "helper-answer" // of what asks for an answer that fits
	taskID    = "task-"         // begins the id of a message that is a piece of work
	wakes     = agent.Steer
)

// crew knows which helpers work in this process. What they are and how far they have
// come is in the logs; all that is kept here is who waits for whom.
type crew struct {
	host    *agent.Host
	library *session.Library
	routes  *llm.Routes
	config  Config
	ctx     context.Context // ends with the plugin
	log     *slog.Logger

	running sync.WaitGroup // what goes on by itself
	hiring  sync.Mutex     // held while a helper is made, so that names stay apart

	mu   sync.Mutex
	jobs []*job
}

// job is a piece of work that goes on in this process.
type job struct {
	parent session.ID
	route  string
	done   chan struct{} // closed once it was reported, or is given up here

	mu     sync.Mutex // held while its end is settled, or more is said to it
	helper session.ID // "" until it is made
	over   bool
	// quiet is set where its report must wake nobody; call, where the result of that
	// call is its report; ended is the report.
	quiet bool
	cut   bool // stopped while helpers of its own were at work
	call  string
	ended EndedData
}

// floor is how many helpers may work at once on a server that takes fewer requests.
const (
	floorLocal  = 4
	floorRemote = 8
)

// slots is how many requests a route's server works on at once, as far as is known.
func slots(r llm.Route) int {
	switch {
	case r.Model.Slots > 0:
		return r.Model.Slots
	case r.Local:
		return 1
	}
	return floorRemote
}

// most is how many helpers may work at once on a route.
func (c *crew) most(r llm.Route) int {
	switch {
	case c.config.AtOnce > 0:
		return c.config.AtOnce
	case r.Local:
		return max(slots(r), floorLocal)
	}
	return max(slots(r), floorRemote)
}

// CodeBusy marks a helper that was not started because as many as can be work already.
const CodeBusy = "HELPERS_BUSY"

// take makes room for a piece of work, or says why there is none.
func (c *crew) take(parent session.ID, r llm.Route, helper session.ID, call string) (*job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, j := range c.jobs {
		if j.route == r.Name {
			n++
		}
	}
	if most := c.most(r); n >= most {
		return nil, fault.New(fault.Unavailable, "subagent.start",
			"There is no room for another helper on %s: %d may work there at once, and as many do. Nothing was started. Do this part yourself, or start the helper when one has reported; reports come by themselves.", r.Name, most).WithCode(CodeBusy)
	}
	j := &job{parent: parent, route: r.Name, helper: helper, call: call, done: make(chan struct{})}
	c.jobs = append(c.jobs, j)
	return j, nil
}

// leave takes a piece of work out, for whoever waits for it.
func (c *crew) leave(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, o := range c.jobs {
		if o == j {
			c.jobs = append(c.jobs[:i:i], c.jobs[i+1:]...)
			close(j.done)
			return
		}
	}
}

// taken gives the report where it is the result of the call that waited for it; where
// it is not, none will be.
func (j *job) taken() (EndedData, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over && j.ended.Call != "" {
		return j.ended, true
	}
	j.call = ""
	return EndedData{}, false
}

// of gives the work that goes on for a session.
func (c *crew) of(parent session.ID) []*job {
	c.mu.Lock()
	defer c.mu.Unlock()
	var mine []*job
	for _, j := range c.jobs {
		if j.parent == parent {
			mine = append(mine, j)
		}
	}
	return mine
}

// by gives the work that a session does, nil for none.
func (c *crew) by(helper session.ID) *job {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.jobs {
		if j.helper == helper {
			return j
		}
	}
	return nil
}

// pending is [agent.Pending]: it says that helpers work for an idle agent.
func (c *crew) pending(_ context.Context, a *agent.Agent) (<-chan struct{}, bool, error) {
	if jobs := c.of(a.ID()); len(jobs) > 0 {
		return jobs[0].done, true, nil
	}
	return nil, false, nil
}

// family reads what works for a session.
func family(log *session.Log) (Family, error) { return session.StateOf(log, Helpers) }

// role reads what a session is.
func role(log *session.Log) (Role, error) { return session.StateOf(log, Roles) }

// parentOf gives the agent in whose session a call is made.
func (c *crew) parentOf(log *session.Log) (*agent.Agent, error) {
	a, ok := c.host.Live(log.ID())
	if !ok {
		return nil, fault.New(fault.Unavailable, "subagent.parent", "Helpers work for sessions that are driven here, and this one is not. Nothing was started.")
	}
	return a, nil
}

// errNoHelper says which helpers there are.
func errNoHelper(name string, f Family) error {
	if len(f.Helpers) == 0 {
		return fault.New(fault.NotFound, "subagent.find", "There is no helper %q; none was started in this session.", name).WithCode("NOT_FOUND")
	}
	var names string
	for i, m := range f.Helpers[max(0, len(f.Helpers)-12):] {
		if i > 0 {
			names += ", "
		}
		names += fmt.Sprintf("%s (%s)", m.Name, m.Status)
	}
	return fault.New(fault.NotFound, "subagent.find", "There is no helper %q in this session. The helpers here: %s.", name, names).WithCode("NOT_FOUND")
}
