package permission

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"fairlead/fault"
	"fairlead/tool"
)

// Codes of refused answers; the page knows them.
const (
	CodePayloadChanged    = "payload-changed"
	CodeAnsweredElsewhere = "answered-elsewhere"
)

// Decision is a person's answer. Hash is that of the payload that was shown.
type Decision struct {
	// Session is where it is answered: the asking session itself, or one that it works for.
	Session string
	Approve bool
	Hash    string
	// Note are the person's words to the model with a no.
	Note string
	// Rule is the id of the wider permission picked from the card; "" for this once.
	Rule string
}

// question is one call that waits for a person. Whoever closes it first wins.
type question struct {
	call    *tool.Call
	verdict tool.Verdict
	mode    Mode
	chat    chat
	// once is what an answer is for in the whole chat, see [outbound.subject]; "" where
	// it is for this call.
	once   string
	offers []offer
	// again judges the call anew, from what its paths lead to now.
	again func(ctx context.Context) (tool.Verdict, []offer, error)
	// record appends a decision, and the rule it gave, and makes them durable.
	record func(ctx context.Context, q *question, d tool.DecidedData, rule *Rule) error

	mu     sync.Mutex
	asked  tool.AskedData
	at     int64 // when it was asked, Unix milliseconds
	over   bool
	answer tool.Answer
	err    error
	closed chan struct{}
}

// ask logs the question with its card. It replaces the one that waited.
func (q *question) ask(ctx context.Context, card *tool.Card) error {
	full := q.complete(*card)
	hash, err := q.payload(full).hash()
	if err != nil {
		return err
	}
	asked := tool.AskedData{Call: q.call.ID, Hash: hash, Tool: q.call.Tool, Card: full, Cwd: q.call.Folder, Mode: string(q.mode)}
	if root := q.chat.root(); root != q.call.Log.ID() {
		asked.Chat = root
	}
	events, err := q.call.Log.Append(ctx, tool.Asked.New(q.call.Turn, q.call.Step, asked))
	if err != nil {
		return fmt.Errorf("permission.ask: %w", err)
	}
	q.asked, q.at = asked, events[0].At
	return nil
}

// complete puts policy's own statements on a card that a tool drew.
func (q *question) complete(card tool.Card) tool.Card {
	card.Facts = append(slices.Clone(card.Facts), q.verdict.Facts...)
	card.Wider = nil // what may be widened is policy's to say
	if q.verdict.Grave != "" {
		card.Grave = q.verdict.Grave
		return card
	}
	for _, o := range q.offers {
		card.Wider = append(card.Wider, o.wider)
	}
	return card
}

// shows reports whether the card that waits is the one of this hash.
func (q *question) shows(hash string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.asked.Hash == hash
}

func (q *question) payload(card tool.Card) payload {
	return payload{Session: q.call.Log.ID(), Call: q.call.ID, Tool: q.call.Tool, Args: q.call.Args, Folder: q.call.Folder, Mode: q.mode, Card: card}
}

// settle takes a person's answer. It fails with fault.Conflict where the question
// is closed, where the answer is to another payload, and where the target changed
// meanwhile: then the question is asked anew and nothing is decided.
func (q *question) settle(ctx context.Context, d Decision) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return answeredElsewhere()
	}
	if d.Hash != q.asked.Hash {
		return payloadChanged()
	}
	if !d.Approve {
		answer := tool.Answer{DeniedBy: "person", Note: d.Note}
		if q.once != "" {
			answer.Model = webRefusal
		}
		return q.close(ctx, answer, tool.DecidedData{Decision: Denied, By: "person", Note: d.Note}, q.forChat(false))
	}
	if changed, err := q.targetChanged(); err != nil || changed != "" {
		if err := q.askAnew(ctx); err != nil {
			return err
		}
		return payloadChanged()
	}
	rule, err := q.widened(d.Rule)
	if err != nil {
		return err
	}
	if q.once != "" {
		rule = q.forChat(true)
		d.Rule = rule.ID
	}
	answer := tool.Answer{Approved: true, Policy: q.verdict.Policy, Confirm: q.confirm(q.asked)}
	return q.close(ctx, answer, tool.DecidedData{Decision: Approved, By: "person", Rule: d.Rule, Note: d.Note}, rule)
}

// forChat gives the rule that answers for the whole chat; nil where the answer is
// for this call alone.
func (q *question) forChat(yes bool) *Rule {
	if q.once == "" {
		return nil
	}
	return &Rule{ID: newRuleID(), Scope: forSession, Folder: q.call.Folder, Web: q.once, No: !yes}
}

// widened gives the rule that a person picked from the card.
func (q *question) widened(id string) (*Rule, error) {
	if id == "" {
		return nil, nil
	}
	for _, w := range q.asked.Card.Wider {
		for _, o := range q.offers {
			if w.ID == id && o.wider.ID == id {
				return &o.rule, nil
			}
		}
	}
	return nil, fault.New(fault.Invalid, "permission.decide", "The card offers no such permission. Nothing was decided; answer it as it is shown.")
}

// withdraw closes a question that nobody answered; by is "stop" or "nobody".
func (q *question) withdraw(ctx context.Context, by, reason string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return nil
	}
	return q.close(ctx, tool.Answer{DeniedBy: byNobody}, tool.DecidedData{Decision: Denied, By: by, Reason: reason}, nil)
}

// close decides. The decision is durable before anybody acts on it; where it
// cannot be written the call does not run.
func (q *question) close(ctx context.Context, answer tool.Answer, d tool.DecidedData, rule *Rule) error {
	d.Call, d.Mode, d.Hash = q.call.ID, string(q.mode), q.asked.Hash
	q.over = true
	q.answer = answer
	if q.err = q.record(context.WithoutCancel(ctx), q, d, rule); q.err != nil {
		q.answer = tool.Answer{DeniedBy: byNobody}
	}
	close(q.closed)
	return q.err
}

// askAnew judges the call and draws its card again from what is there now. Where
// it may not run any more, or cannot work any more, the question closes.
func (q *question) askAnew(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	verdict, offers, err := q.again(ctx)
	if err != nil {
		return q.close(ctx, tool.Answer{DeniedBy: byNobody}, tool.DecidedData{Decision: Denied, By: byNobody, Reason: "the check before the call failed: " + fault.Person(err)}, nil)
	}
	if verdict.Decision == tool.Deny {
		return q.close(ctx, tool.Answer{DeniedBy: verdict.DeniedBy, Note: verdict.Reason}, tool.DecidedData{Decision: Denied, By: verdict.DeniedBy, Reason: verdict.Reason}, nil)
	}
	q.verdict, q.offers = verdict, offers
	card := verdict.Card
	err = fits(ctx, q.call)
	if err == nil && card == nil {
		card, err = draw(ctx, q.call)
	}
	if err == nil {
		err = q.ask(ctx, card)
	}
	if err != nil {
		reason := "the target changed and the call no longer fits it: " + fault.Person(err)
		return q.close(ctx, tool.Answer{DeniedBy: "tool", Failure: err}, tool.DecidedData{Decision: Denied, By: "tool", Reason: reason}, nil)
	}
	return nil
}

// targetChanged names the first target that is not what the card was drawn from.
func (q *question) targetChanged() (string, error) { return changedTarget(q.asked.Card.Binds) }

func changedTarget(binds map[string]string) (string, error) {
	for _, path := range slices.Sorted(maps.Keys(binds)) {
		resolved, err := tool.Resolve(path)
		if err != nil {
			return path, err
		}
		identity, err := tool.Identity(resolved)
		if err != nil {
			return path, err
		}
		if resolved != path || identity != binds[path] {
			return path, nil
		}
	}
	return "", nil
}

// confirm makes the check that runs at the last moment before the effect: the
// same call, the same arguments, the same bytes at the same resolved place.
func (q *question) confirm(approved tool.AskedData) func(context.Context) error {
	return func(context.Context) error {
		hash, err := q.payload(approved.Card).hash()
		if err != nil {
			return err
		}
		path := ""
		if hash == approved.Hash {
			if path, err = changedTarget(approved.Card.Binds); err == nil && path == "" {
				return nil
			}
		}
		return fault.Wrap(fault.Conflict, "permission.confirm", err, "What was approved is no longer what would run (%s changed). Nothing was done.", orCall(path)).
			WithCode(CodePayloadChanged).
			ForTheModel("The target changed between the approval and the call, so nothing was done. Look at it again and make the call anew; it will be asked again.")
	}
}

func orCall(path string) string {
	if path == "" {
		return "the call"
	}
	return path
}

func payloadChanged() error {
	return fault.New(fault.Conflict, "permission.decide", "What you answered is no longer what would run. Nothing was decided; read the new card.").
		WithCode(CodePayloadChanged)
}

func answeredElsewhere() error {
	return fault.New(fault.Conflict, "permission.decide", "This was answered already, or is not needed any more. Your answer changed nothing.").
		WithCode(CodeAnsweredElsewhere)
}
