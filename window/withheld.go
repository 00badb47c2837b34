package window

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// withhold takes the newest message of the person back where it cannot fit even an
// empty session, and says so: a mark takes its place, so that the next request is not
// spoilt by it. A nil fault means that it can, or that something else is in the way.
func (w *room) withhold(ctx context.Context, a *agent.Agent, turn, step int, choice agent.Choice, r reading) (*fault.Error, error) {
	e, id, err := w.message(ctx, a, r.surface)
	if err != nil || id == "" {
		return nil, err
	}
	scale := max(r.gauge.density(), 1)
	frame := int(float64(r.parts.System+r.parts.Tools) * scale)
	tokens, room := int(float64(price(&e.Message))*scale), r.budget.Most-frame
	alone, err := w.count(ctx, a, choice, []session.Entry{e})
	if err != nil {
		return nil, err
	}
	if alone > 0 {
		tokens = max(alone-frame, 1)
	}
	surely := alone > 0 || r.counted
	if room <= 0 || tokens <= room || !surely && tokens*4/5 <= room {
		return nil, nil
	}
	d := WithheldData{Shadows: e.Span, ID: id, Tokens: tokens, Room: room,
		Mark: fmt.Sprintf("[The person sent a message of about %d tokens here. It is longer than the context allows and was not delivered to you.]", tokens)}
	if _, err := a.Log().Append(ctx, Withheld.New(turn, step, d)); err != nil {
		return nil, err
	}
	w.meters.of(a).series = causeCompaction
	return &fault.Error{Kind: fault.TooLarge, Op: "window.fit", Code: CodeMessageTooLarge, Key: "code." + CodeMessageTooLarge,
		Text: fmt.Sprintf("The message is longer than %s can read at once: about %s tokens, and there is room for %s. It was not sent. Attach it as a file, or send a shortened preview.",
			choice.Route.Name, thousands(d.Tokens), thousands(d.Room)),
		Values: map[string]any{"model": choice.Route.Name, "tokens": d.Tokens, "room": d.Room, "message": id}}, nil
}

// message gives the largest of the newest messages of the person; an empty id where
// the last word is not theirs.
func (w *room) message(ctx context.Context, a *agent.Agent, surface []session.Entry) (found session.Entry, id string, err error) {
	for _, e := range surface[newest(surface):] {
		event, err := a.Log().Event(ctx, e.Seq)
		if err != nil {
			return found, "", err
		}
		if !session.UserMessage.Of(event) || id != "" && price(&e.Message) <= price(&found.Message) {
			continue
		}
		d, err := session.UserMessage.Decode(event)
		if err != nil {
			return found, "", err
		}
		found, id = e, d.ID
	}
	return found, id, nil
}

// attach puts the text of a message that was withheld into a file of the workspace
// and sends a message that names it.
func (w *room) attach(ctx context.Context, call command.Call) (any, error) {
	return w.resend(ctx, call, func(a *agent.Agent, id, text string) (string, error) {
		folder := a.Log().Header().Folder
		if folder == "" {
			return "", fault.New(fault.Unavailable, "window.attach", "This session has no folder in which a file could be put. Nothing was changed; send a shortened preview instead.")
		}
		root, err := os.OpenRoot(folder)
		if err == nil {
			defer root.Close()
			name := "message-" + id + ".txt"
			if err = put(root, name, text); err == nil {
				return fmt.Sprintf("My message is too long to be read at once, so it is in the file `%s` (%s characters). Read it in parts.", name, thousands(len([]rune(text)))), nil
			}
		}
		return "", fault.Wrap(fault.Unavailable, "window.attach", err, "The message could not be written into a file of the folder. Nothing was sent; send a shortened preview instead.")
	})
}

// put writes a new file; one that is there with the same text will do.
func put(root *os.Root, name, text string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		if old, err := root.ReadFile(name); err == nil && string(old) == text {
			return nil
		}
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// preview sends the beginning and the end of a message that was withheld.
func (w *room) preview(ctx context.Context, call command.Call) (any, error) {
	return w.resend(ctx, call, func(_ *agent.Agent, _, text string) (string, error) {
		short, _ := excerpt(text)
		return short, nil
	})
}

// resend sends another text in the place of a message that was withheld: the one the
// call names, else the last one.
func (w *room) resend(ctx context.Context, call command.Call, as func(a *agent.Agent, id, text string) (string, error)) (any, error) {
	var args struct {
		ID string `json:"id"`
	}
	if len(call.Args) > 0 {
		if err := json.Unmarshal(call.Args, &args); err != nil {
			return nil, fault.Wrap(fault.Invalid, "window.resend", err, "The call names no message. Nothing was sent.")
		}
	}
	a, err := w.agent(ctx, call)
	if err != nil {
		return nil, err
	}
	said, err := withheldMessage(ctx, a.Log(), args.ID)
	if err != nil {
		return nil, err
	}
	text, err := as(a, said.ID, llm.Plain(said.Content))
	if err != nil {
		return nil, err
	}
	content := slices.Concat(llm.Text(text), slices.DeleteFunc(slices.Clone(said.Content), func(p llm.Part) bool { return p.MIME == "" }))
	id, err := a.Send(ctx, agent.Input{Content: content, Origin: said.Origin})
	if err != nil {
		return nil, err
	}
	return map[string]string{"id": id}, nil
}

// withheldMessage finds a message that was withheld.
func withheldMessage(ctx context.Context, log *session.Log, id string) (session.UserMessageData, error) {
	var found *WithheldData
	for e, err := range log.Events(1) {
		if err != nil {
			return session.UserMessageData{}, err
		}
		if !Withheld.Of(e) {
			continue
		}
		if d, err := Withheld.Decode(e); err == nil && (id == "" || d.ID == id) {
			found = &d
		}
	}
	if found == nil {
		return session.UserMessageData{}, fault.New(fault.NotFound, "window.resend", "No such message was withheld in this session. Nothing was sent.")
	}
	e, err := log.Event(ctx, found.Shadows.From)
	if err != nil {
		return session.UserMessageData{}, err
	}
	return session.UserMessage.Decode(e)
}
