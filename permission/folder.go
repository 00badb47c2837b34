package permission

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"fairlead/agent"
	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
)

// folderTool is what a question about a folder has in the place of a tool's name. It
// is no call: nothing runs when it is answered, but what was accepted counts.
const folderTool = "folder"

// followFolders has the gate look at the folder of every session that is opened, for
// its own patch and for what other rooms declare.
func (s *Service) followFolders(f *graph.Fiber) error {
	s.trust.Declare(f, config.FolderFile{Path: config.FolderPatch, Word: "folder-patch"})
	agent.Opening.On(f, s.welcome)
	offerTrust(f, s)
	return graph.Provide[config.Trust](f, config.TrustKey, s.trust)
}

// welcome looks at what a session's folder brings along, once, when the session is
// opened: what was accepted counts, what nobody answered for is asked on one card, and
// a line says what does not count. It starts nothing and waits for nobody.
func (s *Service) welcome(ctx context.Context, o agent.Opened) {
	header := o.Log.Header()
	if header.Folder == "" {
		return
	}
	r := s.rooms.enter(o, header.Folder)
	r.owe(s.narrow(ctx, r))
	open, refused, err := s.trust.brought(header.Folder)
	state, stateErr := s.state(o.Log)
	r.owe(errors.Join(err, stateErr))
	switch {
	case len(open) > 0 && header.Parent == "" && s.attends(chat{above: []session.ID{o.Log.ID()}, scheduled: state.Scheduled}):
		go s.askFolder(o, header.Folder)
	case len(open) > 0 || len(refused) > 0 && state.Turn == 0:
		for _, file := range open {
			refused = append(refused, file.path)
		}
		r.mu.Lock()
		r.owed = append(r.owed, note("note.folder-ignored", header.Folder, strings.Join(refused, ", ")))
		r.mu.Unlock()
	}
}

// owe has a failure told when the next turn begins.
func (r *room) owe(err error) {
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.owed = append(r.owed, note("note.folder-unread", r.folder, fault.Person(err)))
	}
}

// note is a line about a folder for the person.
func note(key, folder, what string) session.Draft {
	text := map[string]string{
		"note.folder-ignored": "The folder %s brings along %s. Nobody accepted that, so nothing of it counts.",
		"note.folder-unread":  "What the folder %s brings along does not count: %s",
		"note.folder-patch":   "The folder %s asks for what a folder cannot have; that part of its patch does not count:\n%s",
	}[key]
	return session.Note.New(0, 0, session.NoteData{Key: key, Values: map[string]any{"folder": folder, "what": what}, Text: fmt.Sprintf(text, folder, what)})
}

// askFolder puts one card for everything that a folder brings along and waits.
func (s *Service) askFolder(o agent.Opened, folder string) {
	ctx := o.Room.Context()
	if err := s.closeFolderQuestions(ctx, o.Log); err != nil {
		s.options.Log.Warn("an old question about a folder stays in the log", "session", o.Log.ID(), "error", err)
	}
	asked := &folderCall{trust: s.trust}
	call := &tool.Call{ID: fmt.Sprintf("%s%d", folderTool, o.Log.Seq()+1), Tool: folderTool, Args: []byte("{}"), Uses: asked, Log: o.Log, Folder: folder}
	q := &question{call: call, verdict: tool.Verdict{Decision: tool.Ask}, mode: Manual, chat: chat{above: []session.ID{o.Log.ID()}}, closed: make(chan struct{})}
	q.again = func(context.Context) (tool.Verdict, []offer, error) {
		if open, _, err := s.trust.brought(folder); err != nil || len(open) == 0 {
			return tool.Verdict{Decision: tool.Deny, DeniedBy: byStop, Reason: "there is nothing to accept any more"}, nil, err
		}
		return q.verdict, nil, nil
	}
	q.record = func(ctx context.Context, q *question, d tool.DecidedData, _ *Rule) error {
		if err := s.record(ctx, q, d, nil); err != nil || d.By != "person" {
			return err
		}
		return s.trust.kept.answer(folder, asked.sums(), d.Decision == Approved)
	}
	if answer, err := s.put(ctx, q); err != nil {
		s.options.Log.Warn("a question about a folder could not be put", "session", o.Log.ID(), "error", err)
	} else if answer.Approved || answer.DeniedBy == "person" {
		s.trustChanged(context.WithoutCancel(ctx), folder)
		s.settleFolder(ctx, folder, answer.Approved)
	}
}

// trustChanged lets an answer count in every live session of a folder, and tells others.
func (s *Service) trustChanged(ctx context.Context, folder string) {
	for _, r := range s.rooms.in(folder) {
		r.owe(s.narrow(ctx, r))
	}
	config.TrustChanged.Emit(ctx, s.options.Realm, folder)
}

// settleFolder closes what is asked about the same folder in other sessions, where
// the answer has answered that, too.
func (s *Service) settleFolder(ctx context.Context, folder string, yes bool) {
	s.mu.Lock()
	var same []*question
	for _, q := range s.waiting {
		if q.call.Tool == folderTool && q.call.Folder == folder {
			same = append(same, q)
		}
	}
	s.mu.Unlock()
	for _, q := range same {
		if open, _, err := s.trust.brought(folder); err != nil || len(open) > 0 {
			continue
		}
		if err := q.elsewhere(ctx, yes, s.record); err != nil {
			s.options.Log.Warn("a question about a folder stays open", "session", q.call.Log.ID(), "error", err)
		}
	}
}

// elsewhere closes a question that was answered in another session.
func (q *question) elsewhere(ctx context.Context, yes bool, record func(context.Context, *question, tool.DecidedData, *Rule) error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return nil
	}
	d := tool.DecidedData{Decision: Denied, By: "person", Reason: "answered in another session"}
	if yes {
		d.Decision = Approved
	}
	q.record = record // what the other card showed is kept already
	return q.close(ctx, tool.Answer{}, d, nil)
}

// closeFolderQuestions closes what an earlier opening left unanswered.
func (s *Service) closeFolderQuestions(ctx context.Context, log *session.Log) error {
	waiting, err := session.StateOf(log, Approvals)
	if err != nil {
		return err
	}
	for _, w := range waiting {
		if w.Tool != folderTool {
			continue
		}
		d := tool.DecidedData{Call: w.Call, Decision: Denied, By: byStop, Reason: "the session was opened again", Mode: w.Mode, Hash: w.Hash}
		if _, err := log.Append(ctx, tool.Decided.New(0, 0, d)); err != nil {
			return err
		}
	}
	return nil
}

// folderCall draws the card of a folder, from what is there now.
type folderCall struct {
	tool.Tool // there is none: it is never run
	trust     *trust
	drawn     []brought
}

// Card is [tool.Carder].
func (c *folderCall) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	open, _, err := c.trust.brought(call.Folder)
	if err != nil {
		return nil, err
	}
	c.drawn = open
	card := &tool.Card{Title: "use-folder", Hero: call.Folder, Binds: map[string]string{}, Facts: []tool.Fact{{Key: "card.folder-bytes"}}}
	for _, file := range open {
		card.Parts = append(card.Parts, tool.CardPart{Name: file.word, Kind: "text", Path: file.path, Text: string(file.text)})
		at, err := tool.Resolve(filepath.Join(call.Folder, filepath.FromSlash(file.path)))
		if err != nil {
			return nil, err
		}
		card.Binds[at] = file.sum
	}
	return card, nil
}

// sums are the bytes that the card shows.
func (c *folderCall) sums() map[string]string {
	sums := map[string]string{}
	for _, file := range c.drawn {
		sums[file.path] = file.sum
	}
	return sums
}
