package permission

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

// Key is where the service is found.
var Key = graph.NewKey[*Service]("permission", "modes, questions that wait for a person, standing rules")

// Proof judges whether a command only looks. It gives the reason to log, or ""
// where that cannot be proved. It must not start anything.
type Proof func(ctx context.Context, cmd tool.Command) (reason string)

// Options of a [Service].
type Options struct {
	// Mark is this process's; it is the one given to [Projections].
	Mark Mark
	// Own are the product's own folders and Personal the person's home folder,
	// absolute; what is protected there is so for children, too.
	Own      []string
	Personal string
	// Path is the PATH of this process: where commands that run unasked find their
	// programs, but for what lies in folders that approved children may change.
	Path string
	// Proof is how commands run unasked; nil means that every command asks.
	Proof Proof
	// Probe says what this machine can confine; nil means nothing.
	Probe func() sandbox.Report
	// Write names folders besides the workspace that approved children may change;
	// they come from the person's settings, never from a call.
	Write []string
	// Sessions gives the library, to find the chat that a helper works for; nil or false
	// means that helpers are refused what must be asked for.
	Sessions func() (*session.Library, bool)
	// Secret reports whether a text holds a key; nil knows none.
	Secret func(text string) bool
	// Rules keeps the standing permissions of projects; nil keeps none beyond a session.
	Rules *Rules
	// Trust keeps what was accepted of folders; nil means that nothing of a folder counts.
	Trust *TrustFile
	// Realm is where others hear of an answer about a folder; the plugin sets it.
	Realm *graph.Realm
	// Log is required.
	Log *slog.Logger
}

// Service is the gate. It is safe for concurrent use.
type Service struct {
	options Options
	mark    Mark
	mode    session.Projection[ModeState]
	allowed func() Allowances // nil where there are no settings
	trust   *trust            // nil where nothing of a folder counts
	rooms   rooms

	mu       sync.Mutex
	waiting  map[questionID]*question
	settling map[chatID]chan struct{} // questions for a whole chat; each closes when its is over
	attended int
	left     chan struct{} // closed when the last answerer leaves
	changed  chan struct{} // closed and replaced when a question comes or goes
	// consulted counts, by session, the calls that wait for a person's word which is no approval.
	consulted map[session.ID]int
}

type questionID struct {
	session session.ID
	call    string
}

// New makes the gate.
func New(options Options) *Service {
	s := &Service{
		options: options, mark: options.Mark, mode: modeProjection(options.Mark),
		waiting: map[questionID]*question{}, consulted: map[session.ID]int{}, settling: map[chatID]chan struct{}{}, left: make(chan struct{}), changed: make(chan struct{}),
	}
	if options.Trust != nil {
		s.trust = &trust{kept: options.Trust, log: options.Log}
	}
	return s
}

// Projections are what the slice folds, for the session library.
func Projections(mark Mark) []session.AnyProjection {
	return []session.AnyProjection{modeProjection(mark), Approvals, rulesProjection}
}

// Attend says that a person can be asked as long as f runs. Without anybody
// attending, every question is answered no by nobody.
func (s *Service) Attend(f *graph.Fiber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attended++; s.attended == 1 {
		s.left = make(chan struct{})
	}
	f.Effect("answers approvals", func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.attended--; s.attended == 0 {
			close(s.left)
		}
		return nil
	})
}

// Approve is [tool.Asker]: it asks and waits. A no, a stop and a failing disk all
// come back as an answer that is not approved.
func (s *Service) Approve(ctx context.Context, call *tool.Call, verdict tool.Verdict) (tool.Answer, error) {
	state, err := s.state(call.Log)
	if err != nil {
		return tool.Answer{}, err
	}
	f, err := s.facts(ctx, call)
	if err != nil {
		return tool.Answer{}, err
	}
	chat, err := s.chatOf(ctx, call.Log)
	if err != nil {
		return tool.Answer{}, err
	}
	mode := state.ofTurn(call.Turn, s.mark)
	q := &question{call: call, verdict: verdict, mode: mode, chat: chat, record: s.record, offers: s.offers(call, f), closed: make(chan struct{})}
	q.again = func(ctx context.Context) (tool.Verdict, []offer, error) {
		call.Forget()
		f, err := s.facts(ctx, call)
		return judge(mode, f, s.walls(call)), s.offers(call, f), err
	}
	if f.web != nil && !f.web.alone() {
		q.once = f.web.subject()
		return s.askOnce(ctx, q)
	}
	return s.put(ctx, q)
}

// put asks and waits.
func (s *Service) put(ctx context.Context, q *question) (tool.Answer, error) {
	left, reason := s.attendance(q.chat)
	if reason != "" {
		return tool.Answer{DeniedBy: byNobody}, q.withdraw(ctx, byNobody, reason)
	}
	card, err := q.verdict.Card, error(nil)
	if card == nil {
		if card, err = draw(ctx, q.call); err != nil {
			return tool.Answer{}, err
		}
	}
	if err = s.open(ctx, q, card); err != nil {
		return tool.Answer{}, err
	}
	defer s.forget(q)
	select {
	case <-q.closed:
	case <-ctx.Done():
		err = q.withdraw(ctx, byStop, "not needed any more")
	case <-left:
		err = q.withdraw(ctx, byNobody, "nobody is here")
	}
	if err != nil {
		return tool.Answer{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.answer, q.err
}

// attendance gives the channel that closes when the last answerer leaves, or the
// reason why nobody can answer for a chat.
func (s *Service) attendance(c chat) (left <-chan struct{}, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.attended == 0:
		return nil, "nobody is here"
	case c.scheduled:
		return nil, "nobody is here: a scheduled run asks nobody"
	}
	return s.left, ""
}

// attends reports whether somebody can answer for a chat.
func (s *Service) attends(c chat) bool {
	_, reason := s.attendance(c)
	return reason == ""
}

// open registers the question before it can be seen, so that no answer comes too early.
func (s *Service) open(ctx context.Context, q *question, card *tool.Card) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.mu.Lock()
	s.waiting[q.id()] = q
	s.mu.Unlock()
	err := q.ask(ctx, card)
	if err == nil {
		err = q.call.Log.Flush(ctx) // a question outlives the process that asked it
	}
	if err != nil {
		q.over = true
		s.forget(q)
		return err
	}
	s.announce()
	return nil
}

func (s *Service) forget(q *question) {
	s.mu.Lock()
	if s.waiting[q.id()] == q {
		delete(s.waiting, q.id())
	}
	s.mu.Unlock()
	s.announce()
}

func (s *Service) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (q *question) id() questionID { return questionID{session: q.call.Log.ID(), call: q.call.ID} }

// Record is [tool.Asker]: it logs a decision that needed no question.
func (s *Service) Record(ctx context.Context, call *tool.Call, verdict tool.Verdict) error {
	state, err := s.state(call.Log)
	if err != nil {
		return err
	}
	d := tool.DecidedData{Call: call.ID, Decision: Allowed, By: verdict.By, Rule: verdict.Rule, Reason: verdict.Reason, Mode: string(state.ofTurn(call.Turn, s.mark))}
	if verdict.Decision != tool.Allow {
		d.Decision, d.By = Denied, verdict.DeniedBy
	}
	_, err = call.Log.Append(ctx, tool.Decided.New(call.Turn, call.Step, d))
	if err != nil {
		return fmt.Errorf("permission.record: %w", err)
	}
	return nil
}

// record logs the answer to a question, with the rule it gave, and makes both
// durable. A rule for the project, and one for the chat of a helper, is on disk before
// the call it was given for runs.
func (s *Service) record(ctx context.Context, q *question, d tool.DecidedData, rule *Rule) error {
	call := q.call
	drafts := []session.Draft{tool.Decided.New(call.Turn, call.Step, d)}
	if rule != nil {
		if rule.Scope == forProject {
			if err := s.options.Rules.add(*rule); err != nil {
				return err
			}
		}
		if added := (RuleChangedData{Op: "added", Rule: *rule}); rule.Web != "" && q.chat.root() != call.Log.ID() {
			if err := s.tellChat(ctx, q.chat, added); err != nil {
				return err
			}
		} else {
			drafts = append(drafts, RuleChanged.New(call.Turn, call.Step, added))
		}
	}
	if _, err := call.Log.Append(ctx, drafts...); err != nil {
		return fmt.Errorf("permission.decide: %w", err)
	}
	if err := call.Log.Flush(ctx); err != nil {
		return fmt.Errorf("permission.decide: %w", err)
	}
	return nil
}

// Decide gives a person's answer to a waiting question; it returns once the
// decision is durable. It fails with fault.Conflict ([CodePayloadChanged],
// [CodeAnsweredElsewhere]) where nothing was decided.
func (s *Service) Decide(ctx context.Context, call string, d Decision) error {
	q := s.find(call, d)
	if q == nil {
		return answeredElsewhere()
	}
	return q.settle(ctx, d)
}

// find gives the question of a session, or of a helper that works for it: ids of
// calls are unique in one session only, hashes everywhere.
func (s *Service) find(call string, d Decision) *question {
	s.mu.Lock()
	own := s.waiting[questionID{session: session.ID(d.Session), call: call}]
	var helpers []*question
	for at, q := range s.waiting {
		if q != own && at.call == call && q.chat.answers(session.ID(d.Session)) {
			helpers = append(helpers, q)
		}
	}
	s.mu.Unlock()
	for _, q := range helpers {
		if q.shows(d.Hash) {
			return q
		}
	}
	if own == nil && len(helpers) == 1 {
		return helpers[0] // it has changed since: the answer is told so
	}
	return own
}

// Waiting is a question that waits, with the session it belongs to and when it was
// asked, in Unix milliseconds.
type Waiting struct {
	Session session.ID `json:"session"`
	At      int64      `json:"at"`
	tool.AskedData
}

// Waiting lists the questions that may be answered in one session, its helpers'
// among them, or all where id is "", oldest first.
func (s *Service) Waiting(id session.ID) []Waiting {
	s.mu.Lock()
	open := make([]*question, 0, len(s.waiting))
	for _, q := range s.waiting {
		if id == "" || q.chat.answers(id) {
			open = append(open, q)
		}
	}
	s.mu.Unlock()
	list := make([]Waiting, 0, len(open))
	for _, q := range open {
		q.mu.Lock()
		if !q.over {
			list = append(list, Waiting{Session: q.call.Log.ID(), At: q.at, AskedData: q.asked})
		}
		q.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Call, b.Call))
	})
	return list
}

// Changed gives a channel that closes when a question comes or goes.
func (s *Service) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// state reads the session's mode.
func (s *Service) state(log *session.Log) (ModeState, error) {
	state, err := session.StateOf(log, s.mode)
	if err != nil {
		return ModeState{}, fault.Wrap(fault.Internal, "permission.state", err, "The mode of the session cannot be read, so nothing was run.")
	}
	return state, nil
}
