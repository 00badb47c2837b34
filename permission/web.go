package permission

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"fairlead/session"
	"fairlead/tool"
)

// longestQuery is how many bytes a model may put into one question to the web
// before a person looks at them again.
const longestQuery = 512

// outbound is what policy knows of a call that sends something to the web.
type outbound struct {
	tool.Leaving
	key     bool // a secret is in it
	long    bool // it is more than a question
	open    bool // the person's settings let web tools run
	rule    Rule // what the chat was answered before; the zero Rule for nothing yet
	present bool // somebody can be asked
}

// alone reports whether the call is asked for by itself, whatever the chat was answered.
func (o *outbound) alone() bool { return o.key || o.long }

// subject is what an answer is for in the whole chat: the open web, or one host and
// port of this machine or its network.
func (o *outbound) subject() string { return cmp.Or(o.Near, webAnywhere) }

// Words about the web that the model reads.
const (
	webRefusal = "The person said no to using the web in this chat, so nothing was sent. Do not search the web or open pages here, and do not get at them in another way. " +
		"Go on with what you have, and say what you could not look up."
	webPlanRefusal = "This was not sent: in Plan mode only short questions go to the web, to public addresses and without any secret. Nothing was changed. Ask in fewer words, or put it into your plan."
)

// judgeWeb is the policy for the web: asked once in a chat, and again where more
// than a question leaves.
//
//	                            Manual            Plan                    Bypass
//	a secret is in it           ask               refused                 ask
//	over 512 bytes              ask               refused                 allowed
//	this machine or network     ask once a port   refused                 allowed
//	the chat was answered no    refused           refused                 allowed
//	answered yes, or settings   allowed           allowed                 allowed
//	otherwise                   ask               allowed with a person   allowed
func judgeWeb(mode Mode, o *outbound, w walls) tool.Verdict {
	ask := tool.Verdict{Decision: tool.Ask, Reason: "reaches the web", Facts: o.facts()}
	switch {
	case mode == Bypass && !o.key:
		return tool.Verdict{Decision: tool.Allow, By: "mode", Reason: "Bypass", Policy: w.open()}
	case mode == Plan && (o.key || o.long || o.Near != ""):
		return tool.Verdict{Decision: tool.Deny, DeniedBy: "mode", Reason: "Plan", Model: webPlanRefusal}
	case mode != Bypass && o.rule.No:
		return tool.Verdict{Decision: tool.Deny, DeniedBy: "rule", Rule: o.rule.ID, Reason: "the chat was answered no to the web", Model: webRefusal}
	case o.alone():
		return ask
	case o.rule.ID != "":
		return tool.Verdict{Decision: tool.Allow, By: "rule", Rule: o.rule.ID, Reason: "the chat was answered yes to the web"}
	case o.open && o.Near == "":
		return tool.Verdict{Decision: tool.Allow, By: "rule", Reason: "the settings let web tools run"}
	case mode == Plan && o.present:
		return tool.Verdict{Decision: tool.Allow, By: "tool", Reason: "only looks"}
	case mode == Plan:
		return tool.Verdict{Decision: tool.Deny, DeniedBy: byNobody, Reason: "nobody is here", Model: nobodyRefusal}
	}
	return ask
}

// facts are what the card says besides what the tool shows.
func (o *outbound) facts() []tool.Fact {
	facts := []tool.Fact{{Key: "card.sends-to", Values: map[string]any{"host": o.Host}}}
	if o.key {
		facts = append(facts, tool.Fact{Key: "card.sends-secret", Warn: true})
	}
	if o.long {
		facts = append(facts, tool.Fact{Key: "card.sends-much", Values: map[string]any{"n": len(o.Text)}, Warn: true})
	}
	switch {
	case o.alone():
	case o.Near != "":
		facts = append(facts, tool.Fact{Key: "card.sends-near", Values: map[string]any{"host": o.Near}, Warn: true})
	default:
		facts = append(facts, tool.Fact{Key: "card.web-chat"})
	}
	return facts
}

// outbound looks at what a call sends out; nil where it says that it sends nothing.
func (s *Service) outbound(ctx context.Context, call *tool.Call) (*outbound, error) {
	t, ok := call.Uses.(tool.Leaver)
	if !ok {
		return nil, nil
	}
	leaving, ok := t.Leaves(call)
	if !ok {
		return nil, nil
	}
	chat, err := s.chatOf(ctx, call.Log)
	if err != nil {
		return nil, err
	}
	o := &outbound{Leaving: leaving, key: s.carriesSecret(leaving.Host + " " + leaving.Text), long: len(leaving.Text) > longestQuery, present: s.attends(chat)}
	if s.allowed != nil {
		o.open = s.allowed().Web
	}
	o.rule, err = s.webRule(ctx, call.Log, chat, o.subject())
	return o, err
}

// mostEscapes is how often a text that is escaped again and again is read.
const mostEscapes = 4

// carriesSecret looks for keys in a text as it is and as it would be read at the other end.
func (s *Service) carriesSecret(text string) bool {
	if s.options.Secret == nil {
		return false
	}
	readings := []string{text}
	for range mostEscapes {
		plain, err := url.QueryUnescape(text)
		if err != nil || plain == text {
			break
		}
		readings = append(readings, plain)
		text = plain
	}
	for _, reading := range readings {
		if s.options.Secret(reading) {
			return true
		}
		for word := range strings.FieldsFuncSeq(reading, func(r rune) bool { return strings.ContainsRune(" \t\r\n&?=/:,;\"'#", r) }) {
			word = strings.TrimRight(word, "=")
			for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				if plain, err := encoding.DecodeString(word); err == nil && s.options.Secret(string(plain)) {
					return true
				}
			}
		}
	}
	return false
}

// webAnywhere is what a rule for the open web says in place of a host and port.
const webAnywhere = "*"

// webRule gives what the chat was answered; the zero Rule for nothing yet.
func (s *Service) webRule(ctx context.Context, log *session.Log, c chat, subject string) (Rule, error) {
	if c.root() != log.ID() {
		root, err := s.reading(ctx, c.root())
		if err != nil {
			return Rule{}, err
		}
		defer root.Close(context.WithoutCancel(ctx))
		log = root
	}
	rules, err := session.StateOf(log, rulesProjection)
	if err != nil {
		return Rule{}, err
	}
	if at := slices.IndexFunc(rules, func(r Rule) bool { return r.Web == subject }); at >= 0 {
		return rules[at], nil
	}
	return Rule{}, nil
}
