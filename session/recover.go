package session

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"fairlead/fault"
	"fairlead/llm"
)

const (
	textNotStarted = "This call was never started: the program that ran it ended first. It changed nothing. Make it again if it is still needed."
	textUnknown    = "The program that ran this call ended while the call was running. Whether it took effect is not known. Look at the current state first; repeat only what is safe to repeat."
	textNoTurn     = "The program ended in the middle of this turn. What was still open is marked; send a message to go on."
)

// settle makes a session that was just opened for writing ready to go on: the end
// that cannot be read is set aside, incidents are told, open calls get results and
// the open turn an end. What was set aside and what is told of it is one change.
func (c *core) settle(ctx context.Context, l *loaded) error {
	if l.unfinished {
		if err := c.w.Append([]byte{'\n'}); err != nil {
			return err
		}
		c.size++
	}
	var drafts []Draft
	if c.state.seq == 0 {
		drafts = append(drafts, Created.New(0, 0, c.remembered(l)))
	} else if format := c.state.formats.last(); format != 0 && format < c.lib.format() {
		drafts = append(drafts, Upgraded.New(0, 0, UpgradedData{Format: c.lib.format(), Version: c.lib.opt.Version}))
	}
	recovery, err := c.recovery(c.lib.opt.Now(), textNoTurn, "end.interrupted")
	if err != nil {
		return err
	}
	if err := c.tellOpening(ctx, l, drafts, recovery); err != nil {
		return err
	}
	return c.w.Sync(ctx)
}

// tellOpening writes what there is to say of a session that was just opened: what comes
// before the incidents, and after them.
func (c *core) tellOpening(ctx context.Context, l *loaded, drafts, recovery []Draft) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.size == l.end {
		err = c.tell(slices.Concat(drafts, told(c.damage, ""), recovery), c.w.Append)
	} else {
		err = keepUnder("log.damaged-"+c.lib.stamp(), func(keep string) error {
			return c.tell(slices.Concat(drafts, told(c.damage, keep), recovery), func(lines []byte) error {
				return c.w.Replace(ctx, l.size, bytes.NewReader(lines), keep)
			})
		})
	}
	if err == nil {
		c.damage = nil
	}
	return err
}

// Settle ends what the log says is open (calls, step, turn, activity) as opening it
// again would, with a sentence for the person, and waits for the disk. It is for a
// driver that runs nothing and whose own end could not be written. Where it fails,
// it may be tried again.
func (l *Log) Settle(ctx context.Context, text string) error {
	if !l.writes {
		return fault.New(fault.Denied, "session.settle", "The session is open for reading only. Nothing was written.")
	}
	if err := l.settleOpen(text); err != nil {
		return err
	}
	return l.Flush(ctx)
}

func (c *core) settleOpen(text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.packDeltas(nil); err != nil {
		return err
	}
	drafts, err := c.recovery(c.lib.opt.Now(), text, "")
	if err != nil {
		return err
	}
	return c.tell(drafts, c.w.Append)
}

// tell writes what is to be said of a settled session, nothing where that is
// nothing. The caller holds the lock.
func (c *core) tell(drafts []Draft, write func([]byte) error) error {
	if len(drafts) == 0 {
		return nil
	}
	events, err := c.encodeAll(drafts)
	if err != nil {
		return err
	}
	return c.commit(events, write)
}

// told drafts the incidents; the last one tells where the damaged end is kept.
func told(damage []IncidentData, keep string) []Draft {
	var drafts []Draft
	for i, d := range damage {
		if i == len(damage)-1 {
			d.Kept = keep
		}
		drafts = append(drafts, Incident.New(0, 0, d))
	}
	return drafts
}

// keepUnder runs change with a name that is not taken.
func keepUnder(name string, change func(keep string) error) error {
	keep := name
	for n := 2; ; n++ {
		err := change(keep)
		if !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != "" {
			return err
		}
		keep = fmt.Sprintf("%s-%d", name, n)
	}
}

// remembered is the first event of a session whose own first event is lost.
func (c *core) remembered(l *loaded) CreatedData {
	d := CreatedData{}
	if l.saved != nil {
		d = l.saved.Header.CreatedData
	}
	d.Format, d.Version, d.ID = c.lib.format(), c.lib.opt.Version, c.id
	return d
}

// recovery drafts the end of what a dead host left open, or a fork cut; text and key
// are what the turn's end says.
func (c *core) recovery(now time.Time, text, key string) ([]Draft, error) {
	s, err := stateIn(&c.state.projections, openTurns)
	if err != nil || s.Turn == 0 && !s.Activity && len(s.Calls) == 0 {
		return nil, err
	}
	var drafts []Draft
	settled := RecoveredData{Turn: s.Turn}
	past, err := c.past(s)
	if err != nil {
		return nil, err
	}
	if past.reply.ID != "" {
		drafts = append(drafts, AssistantMessage.New(s.Turn, s.Step, past.reply))
	}
	turn, step := s.Turn, s.Step
	for _, inner := range []bool{true, false} {
		for _, call := range s.Calls {
			if (call.Parent != "") != inner {
				continue
			}
			d := ToolResultData{Call: call.ID, ModelID: call.ModelID, Parent: call.Parent, Failed: true, Code: CodeNotStarted, Content: llm.Text(textNotStarted)}
			name := call.ID
			if name == "" {
				name = call.ModelID
			}
			if call.Started {
				d.Code, d.Content = CodeOutcomeUnknown, llm.Text(textUnknown)
				settled.OutcomeUnknown = append(settled.OutcomeUnknown, name)
			} else {
				settled.NotStarted = append(settled.NotStarted, name)
			}
			drafts = append(drafts, ToolResult.New(turn, step, d))
		}
	}
	if s.Step != 0 {
		drafts = append(drafts, StepEnd.New(turn, s.Step, struct{}{}))
	}
	if s.Turn != 0 {
		drafts = append(drafts, TurnEnd.New(turn, 0, TurnEndData{
			Reason: EndReason{Kind: EndInterrupted}, Text: text, Key: key, Usage: past.usage, Steps: past.steps, Millis: max(now.UnixMilli()-past.began, 0),
		}))
	}
	if s.Activity {
		drafts = append(drafts, ActivityEnd.New(0, 0, struct{}{}))
	}
	return append(drafts, Recovered.New(0, 0, settled)), nil
}

// pastTurn is what a turn did before its host ended.
type pastTurn struct {
	began int64 // Unix milliseconds
	steps int
	usage llm.Usage
	// reply is the part of a reply that was logged and whose message never came; its
	// ID is empty where there is none.
	reply AssistantMessageData
}

// past reads the events of the open turn.
func (c *core) past(s openTurn) (pastTurn, error) {
	p := pastTurn{}
	if s.Turn == 0 {
		return p, nil
	}
	at, err := c.src.seek(c.size, s.First)
	if err != nil {
		return p, err
	}
	id, text := "", ""
	for e, err := range c.src.from(&at, c.size) {
		if err != nil {
			return p, err
		}
		switch e.Type {
		case TurnStart.Name:
			p.began = e.At
		case StepStart.Name:
			p.steps++
			id, text = "", ""
		case AssistantMessage.Name:
			id, text = "", ""
			if d, err := AssistantMessage.Decode(e); err == nil && d.Usage != nil {
				p.usage = p.usage.Add(*d.Usage)
			}
		case AssistantDelta.Name:
			d, err := AssistantDelta.Decode(e)
			if err != nil {
				continue
			}
			if d.Message != id {
				id, text = d.Message, ""
			}
			if d.Channel == "text" && d.Offset == int64(len(text)) {
				text += d.Text
			}
		}
	}
	if s.Began != 0 && text != "" {
		p.reply = AssistantMessageData{ID: id, Content: llm.Text(text), Interrupted: true}
	}
	return p, nil
}
