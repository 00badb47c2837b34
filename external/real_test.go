//go:build realexternal

package external_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fairlead/external"
)

var (
	programs = flag.String("programs", "", "a folder with the node_modules of the real programs")
	record   = flag.Bool("record", false, "write what they print to testdata/")
)

// realHouse has the real programs, signed in with a dummy key at the scripted peer.
func realHouse(t *testing.T) (*house, *peer) {
	t.Helper()
	if *programs == "" {
		t.Fatal("say where the programs are: -programs FOLDER; make real-external does it")
	}
	h, p := newHouse(t, external.Config{}), newPeer(t)
	for name, text := range map[string]string{
		".claude/settings.json": fmt.Sprintf(`{"env":{"ANTHROPIC_BASE_URL":%q,"ANTHROPIC_API_KEY":"sk-dummy"},"model":"scripted"}`, p.server.URL),
		".claude.json":          `{"hasCompletedOnboarding":true}`,
		".codex/config.toml": fmt.Sprintf("model = \"scripted\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = %q\nwire_api = \"responses\"\n"+
			"request_max_retries = 0\nstream_max_retries = 0\n", p.server.URL+"/v1"),
	} {
		path := filepath.Join(h.personal, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := filepath.Abs(filepath.Join(*programs, "node_modules", ".bin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"claude", "codex"} {
		if err := os.Symlink(filepath.Join(bin, name), filepath.Join(h.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return h, p
}

func TestRealAgents(t *testing.T) {
	for _, agent := range []string{"claude", "codex"} {
		t.Run(agent, func(t *testing.T) {
			h, p := realHouse(t)
			for _, f := range h.agents.Found(t.Context()) {
				t.Logf("%s: %s %s %s", f.Name, f.State, f.Version, f.Reason)
			}
			ask := func(name string, q external.Question) external.Answer {
				t.Helper()
				q.Agent = agent
				got := h.ask(q)
				t.Logf("%s: %+v", name, got.Verdict)
				for _, e := range got.Run.Events {
					t.Log("  ", e.Line())
				}
				h.keep(agent+"-"+name, got.Run.ID)
				return got
			}
			first := ask("says", external.Question{Prompt: "say what a fairlead is"})
			if !first.Verdict.OK || first.Verdict.Answer != "A ring that guides a rope." || first.Run.AgentSession == "" {
				t.Errorf("%+v", first.Run)
			}
			second := ask("goes-on", external.Question{Prompt: "say it again, please"})
			if !second.Verdict.OK || !second.Run.Resumed || second.Run.AgentSession != first.Run.AgentSession {
				t.Errorf("the session is not gone on with: %+v", second.Run)
			}
			if tools := ask("runs", external.Question{Prompt: "run the command", Access: external.WorkspaceWrite, New: true}); !tools.Verdict.OK || !p.asked("from the shell") {
				t.Errorf("%+v", tools.Run)
			}
			if refused := ask("is-refused", external.Question{Prompt: "refuse the request", New: true}); refused.Verdict.OK || !strings.Contains(refused.Verdict.Reason, "the scripted refusal") {
				t.Errorf("%+v", refused.Verdict)
			}
			ctx, cancel := context.WithCancel(t.Context())
			stopped, err := h.agents.Ask(ctx, external.Question{Agent: agent, Prompt: "hang for ever", New: true, Folder: h.folder, Heard: func(external.Event) { cancel() }})
			if err != nil || stopped.Verdict.Code != external.Stopped || len(children(t)) > 0 {
				t.Errorf("%+v, %v, left %v", stopped.Verdict, err, children(t))
			}
			cancel()
		})
	}
}

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// keep writes what a run printed to testdata, with paths and ids replaced.
func (h *house) keep(name, run string) {
	h.t.Helper()
	if !*record {
		return
	}
	raw, err := os.ReadFile(filepath.Join(h.home, "external", "none", run+".out"))
	if err != nil {
		h.t.Fatal(err)
	}
	root := filepath.Dir(h.folder)
	text := strings.NewReplacer(root, "$ROOT", strings.ReplaceAll(root, "/", "-"), "-ROOT").Replace(string(raw))
	seen := map[string]string{}
	text = ids.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(seen)+1)
		}
		return seen[id]
	})
	if err := os.WriteFile(filepath.Join("testdata", name+".jsonl"), []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}
