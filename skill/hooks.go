package skill

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/config"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

// folderHookFiles are the files of a folder in which hooks stand: our own, Claude
// Code's and Codex's.
var folderHookFiles = [...]string{".fairlead/hooks.json", ".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json"}

// HooksOptions configure [Hooks].
type HooksOptions struct {
	// Files are further files of the person's own with hooks, beside hooks.json in the
	// home folder: absolute, or beginning with ~/.
	Files []string `yaml:"files" json:"files"`
}

// Hooks runs command hooks in the formats of Claude Code and Codex.
func Hooks(o Options) graph.Plugin {
	return graph.Plugin{
		Name:   "hooks",
		Doc:    "runs command hooks in the formats of Claude Code and Codex; they can only make policy stricter",
		Inject: []graph.Dependency{graph.Needs(sandbox.Key), graph.Needs(agent.HostKey), graph.Needs(session.LibraryKey), graph.Optional(config.TrustKey)},
		Config: func() any { return &HooksOptions{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			box, err1 := graph.Get(f, sandbox.Key)
			host, err2 := graph.Get(f, agent.HostKey)
			lib, err3 := graph.Get(f, session.LibraryKey)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			h := &hooks{Options: o, files: cfg.(*HooksOptions).Files, box: box, host: host, sessions: map[session.ID]*hooked{}}
			if trust, err := graph.Get(f, config.TrustKey); err == nil {
				h.trust = trust
				for _, name := range folderHookFiles {
					trust.Declare(f, config.FolderFile{Path: name, Word: "folder-hooks", Asks: hasHooks})
				}
				config.TrustChanged.On(f, func(context.Context, string) { h.forget() })
			}
			agent.PreStep.On(f, h.preStep)
			tool.PreExecute.On(f, h.preExecute)
			tool.PostExecute.On(f, h.postExecute)
			agent.TurnStopping.On(f, h.turnStopping)
			command.RegisterViews(f, command.View{Name: "hooks", Scope: command.Session, Summary: "the hooks of a session, and what in their files does not run",
				Read: func(ctx context.Context, q command.Query) (any, error) {
					folder, err := folderOf(ctx, lib, session.ID(q.Session))
					if err != nil {
						return nil, err
					}
					return h.shown(folder), nil
				}})
			return nil
		},
	}
}

type hooks struct {
	Options
	files []string
	box   sandbox.Sandbox
	host  *agent.Host
	trust config.Trust // nil where nobody says what of a folder counts: nothing does

	mu       sync.Mutex
	sessions map[session.ID]*hooked
}

// hooked is what is known of one session's hooks.
type hooked struct {
	turn    int  // for which they were read
	stale   bool // they are to be read anew
	hooks   []hook
	started bool // SessionStart was run
	blocks  int  // how often Stop was refused in the turn
}

// mostSessions bounds what is remembered; a session that was forgotten is read anew.
const mostSessions = 256

// at gives the hooks of an event in a turn; their files are read anew for each turn.
// A command that stands twice for the same runs once.
func (h *hooks) at(event string, log *session.Log, turn int) []hook {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []hook
	for _, one := range h.of(log, turn).hooks {
		if one.event == event && !slices.ContainsFunc(list, one.same) {
			list = append(list, one)
		}
	}
	return list
}

// of gives what is known of a session. h.mu is held.
func (h *hooks) of(log *session.Log, turn int) *hooked {
	s := h.sessions[log.ID()]
	if s == nil {
		if len(h.sessions) >= mostSessions {
			clear(h.sessions)
		}
		s = &hooked{turn: -1}
		h.sessions[log.ID()] = s
	}
	if s.turn != turn {
		s.turn, s.blocks, s.stale = turn, 0, true
	}
	if s.stale {
		s.stale = false
		s.hooks, _ = h.read(log.Header().Folder)
	}
	return s
}

// begins reports, once for a session, that it begins in this process.
func (h *hooks) begins(log *session.Log, turn int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.of(log, turn)
	began := s.started
	s.started = true
	return !began
}

// stops counts how often hooks kept a turn from ending, with one more where more is true.
func (h *hooks) stops(log *session.Log, turn int, more bool) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.of(log, turn)
	if more {
		s.blocks++
	}
	return s.blocks
}

// forget has every session's hooks read anew.
func (h *hooks) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		s.stale = true
	}
}

// read gathers the hooks that count for a folder: the person's own, and those of the
// folder whose bytes a person accepted.
func (h *hooks) read(folder string) (all []hook, problems []string) {
	if folder == "" {
		return nil, nil
	}
	take := func(text []byte, source, file string) {
		hooks, wrong := parseHooks(text, source, file)
		all, problems = append(all, hooks...), append(problems, wrong...)
	}
	for _, path := range h.own() {
		text, err := os.ReadFile(path)
		switch {
		case err == nil:
			take(text, "home", path)
		case !errors.Is(err, os.ErrNotExist):
			problems = append(problems, path+" cannot be read: "+err.Error())
		}
	}
	if h.trust != nil {
		for _, name := range folderHookFiles {
			if text, ok := h.trust.Accepted(folder, name); ok {
				take(text, "folder", name)
			}
		}
	}
	return all, problems
}

// own lists the person's own files.
func (h *hooks) own() []string {
	var list []string
	if h.Home != "" {
		list = append(list, filepath.Join(h.Home, "hooks.json"))
	}
	for _, path := range h.files {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(h.Personal, rest)
		}
		if filepath.IsAbs(path) {
			list = append(list, path)
		}
	}
	return list
}

// ShownHook is a hook as the view shows it.
type ShownHook struct {
	Event   string `json:"event"`
	Matcher string `json:"matcher,omitempty"`
	Command string `json:"command"`
	Source  string `json:"source"`
	File    string `json:"file"`
}

func (h *hooks) shown(folder string) map[string]any {
	all, problems := h.read(folder)
	list := []ShownHook{}
	for _, one := range all {
		list = append(list, ShownHook{one.event, one.matcher.String(), one.command, one.source, one.file})
	}
	return map[string]any{"hooks": list, "problems": append([]string{}, problems...)}
}

// String gives the matcher as it was written; "" is for all.
func (m matcher) String() string {
	if m.expression != nil {
		return m.expression.String()
	}
	return strings.Join(m.names, "|")
}

// plainText leaves of a hook's output what a person or a model may be shown.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
