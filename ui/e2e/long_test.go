package e2e_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fairlead/llm"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
	"fairlead/toolbox"
)

// written makes a session of many turns in the host's home, as a long day would:
// each turn says something, thinks, looks, runs and answers.
func written(t testing.TB, h *host, turns int) session.ID {
	t.Helper()
	ctx := context.Background()
	files := store.New(store.Options{Dir: filepath.Join(h.home, "sessions")})
	lib := session.NewLibrary(session.Options{Store: files, Version: "e2e",
		Kinds: session.NewKindTable(session.Kinds(), tool.Kinds(), permission.Kinds(), toolbox.Kinds())})
	log, err := lib.Create(ctx, session.CreatedData{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for turn := 1; turn <= turns; turn++ {
		events := []session.Draft{
			session.TurnStart.New(turn, 0, session.TurnStartData{Mode: "manual"}),
			session.UserMessage.New(turn, 1, session.UserMessageData{ID: fmt.Sprint("u", turn), Content: llm.Text(fmt.Sprintf("Question %d of a long day?", turn))}),
		}
		calls := []llm.Call{{ID: "k1", Name: "read", Arguments: "{}"}, {ID: "k2", Name: "shell", Arguments: "{}"}}
		events = append(events, session.AssistantMessage.New(turn, 1, session.AssistantMessageData{ID: fmt.Sprintf("m%d.1", turn),
			Reasoning: []llm.Reasoning{{Text: "Let me see."}}, Content: llm.Text("I will look first."), Calls: calls}))
		for i, verb := range []string{"read", "run"} {
			id := fmt.Sprintf("c%d.%d", turn, i)
			events = append(events,
				session.ToolCall.New(turn, 1, session.ToolCallData{Call: id, ModelID: calls[i].ID, Caller: "model", Tool: calls[i].Name, Arguments: "{}",
					Present: session.Present{Verb: verb, What: fmt.Sprintf("file-%d.go", turn), Looks: i == 0}}),
				session.ToolStarted.New(turn, 1, session.ToolStartedData{Call: id}),
				session.ToolResult.New(turn, 1, session.ToolResultData{Call: id, ModelID: calls[i].ID, Content: llm.Text(strings.Repeat("a line of output\n", 20))}),
			)
		}
		events = append(events,
			session.AssistantMessage.New(turn, 2, session.AssistantMessageData{ID: fmt.Sprintf("m%d.2", turn),
				Content: llm.Text(fmt.Sprintf("Answer %d.\n\n- one\n- two\n\n```go\nfunc f() int { return %d }\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", turn, turn))}),
			session.TurnEnd.New(turn, 2, session.TurnEndData{Reason: session.EndReason{Kind: session.EndCompleted}, Steps: 2, Millis: 1200}),
		)
		if _, err := log.Append(ctx, events...); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	return log.ID()
}

// emptyInView lists chunks that a reader would see as blank.
const emptyInView = `[...document.querySelectorAll('.chunk')].filter((c) => { const r = c.getBoundingClientRect(); return r.bottom > 60 && r.top < innerHeight - 150 && !c.firstChild }).map((c) => { const r = c.getBoundingClientRect(); return Math.round(r.top) + '..' + Math.round(r.bottom) + ' of ' + document.querySelectorAll('.chunk').length })`

// Ten events a turn and one fold line, one message and one answer on screen.
const longTurns = 1000

func TestALongSessionOpensAtItsEndAndStaysSmall(t *testing.T) {
	h := &host{t: t, home: t.TempDir(), addr: "127.0.0.1:0"}
	id := written(t, h, longTurns)
	h.start()
	t.Cleanup(h.stop)
	p := h.signIn(1280, 900)
	p.open(h.url("/s/" + string(id)))
	p.see(fmt.Sprintf("Answer %d.", longTurns))
	p.wait(`(() => { const s = document.querySelector('.scroll'); return s.scrollHeight - s.scrollTop - s.clientHeight < 2 })()`)
	if nodes := p.count("*"); nodes > 3000 {
		t.Errorf("%d elements after opening; the limit is 3,000", nodes)
	}

	// Upwards to the very beginning, in leaps: what is in view is always drawn.
	blank := 0
	for range 800 {
		top := eval[float64](p, `(async () => {
		  const s = document.querySelector('.scroll')
		  s.scrollTop -= 2500
		  window.blank = await new Promise((r) => requestAnimationFrame(() => r(`+emptyInView+`)))
		  await new Promise((r) => setTimeout(r, 20))
		  return s.scrollTop
		})()`)
		if empty := eval[[]string](p, "window.blank"); len(empty) > 0 {
			t.Log(int(top), empty)
			blank++
		}
		if top <= 1 && eval[bool](p, `!document.querySelector('.older')`) {
			break
		}
	}
	p.see("Question 1 of a long day?")
	if blank > 0 {
		t.Errorf("%d frames showed an empty chunk", blank)
	}
	if nodes := p.count("*"); nodes > 3000 {
		t.Errorf("%d elements after scrolling through; the limit is 3,000", nodes)
	}

	// The place is kept over a visit elsewhere.
	eval[bool](p, `(() => { document.querySelector('.scroll').scrollTop = 1200; return true })()`)
	p.wait(`(() => { const s = document.querySelector('.scroll'); return Math.abs(s.scrollTop - 1200) < 3 })()`)
	at := `(() => { const s = document.querySelector('.scroll').getBoundingClientRect(); const r = [...document.querySelectorAll('[data-row]')].find((e) => e.getBoundingClientRect().bottom > s.top); return r.dataset.row + '@' + Math.round(r.getBoundingClientRect().top) })()`
	before := eval[string](p, at)
	p.click(".new")
	p.wait(`!document.querySelector('[data-row]')`)
	p.click(".sess")
	p.wait(`document.querySelector('[data-row]')`)
	if after := eval[string](p, at); after != before {
		t.Errorf("the reader was at %s and came back to %s", before, after)
	}
}

func TestWhatWasSaidIsFoundAndGoneTo(t *testing.T) {
	h := &host{t: t, home: t.TempDir(), addr: "127.0.0.1:0"}
	written(t, h, 200)
	h.start()
	t.Cleanup(h.stop)
	p := h.signIn(1280, 900)
	p.press("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.wait(`document.activeElement.matches('.find-field')`)
	p.press("Question 17 of a long")
	p.wait(`document.querySelector('.hits mark')`)
	p.shot("find")
	p.click(`.hits .choice:has(mark)`)
	p.wait(`document.querySelector('.sought')?.innerText.includes('Question 17 of a long day?')`)
	if !eval[bool](p, `(() => { const r = document.querySelector('.sought').getBoundingClientRect(); return r.top > 40 && r.bottom < innerHeight })()`) {
		t.Error("the row that was sought is not in view")
	}
}
