package catalog

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"fairlead/llm"
	"fairlead/session"
)

// longest is how much of one message is kept for searching, in bytes.
const longest = 64 << 10

// entry is what the catalog keeps of one event.
type entry struct {
	who, text string
}

// entryOf picks what is worth finding: what people and models said, and what tools
// were asked to do.
func entryOf(e session.Event) (entry, bool) {
	switch e.Type {
	case session.UserMessage.Name:
		d, err := session.UserMessage.Decode(e)
		return entry{"person", llm.Plain(d.Content)}, err == nil
	case session.AssistantMessage.Name:
		d, err := session.AssistantMessage.Decode(e)
		return entry{"model", llm.Plain(d.Content)}, err == nil
	case session.ToolCall.Name:
		d, err := session.ToolCall.Decode(e)
		return entry{"tool", d.Tool + " " + argumentText(d.Arguments)}, err == nil
	}
	return entry{}, false
}

// argumentText joins the texts in a call's arguments; keys and numbers say little.
func argumentText(raw string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &fields) != nil {
		return raw
	}
	var texts []string
	for _, v := range fields {
		var s string
		if json.Unmarshal(v, &s) == nil {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, " ")
}

// writer puts the events of one session into one transaction.
type writer struct {
	ctx  context.Context
	tx   *sql.Tx
	id   session.ID
	meta session.MetaState
	seq  int64
	hash string
}

func (w *writer) event(e session.Event) error {
	w.seq, w.hash = e.Seq, e.Hash
	if said, ok := entryOf(e); ok {
		if err := w.say(e.Seq, said, e.At); err != nil {
			return err
		}
	}
	return w.use(e)
}

// say keeps a text; one that stands at the same place already is replaced.
func (w *writer) say(seq int64, said entry, at int64) error {
	text := strings.TrimSpace(said.text)
	if text == "" {
		return nil
	}
	if len(text) > longest {
		text = text[:longest]
		for !utf8.ValidString(text) && len(text) > longest-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	if err := forget(w.ctx, w.tx, "session = ? AND seq = ?", w.id, seq); err != nil {
		return err
	}
	r, err := w.tx.ExecContext(w.ctx, "INSERT INTO said (session, seq, who, at, text) VALUES (?, ?, ?, ?, ?)", w.id, seq, said.who, at, text)
	if err != nil {
		return err
	}
	row, err := r.LastInsertId()
	if err != nil {
		return err
	}
	column := "text"
	if said.who == "title" {
		column = "title"
	}
	_, err = w.tx.ExecContext(w.ctx, "INSERT INTO words (rowid, "+column+") VALUES (?, ?)", row, segment(text))
	return err
}

// name keeps the title where it is a new one.
func (w *writer) name() error {
	var have string
	err := w.tx.QueryRowContext(w.ctx, "SELECT text FROM said WHERE session = ? AND seq = 0", w.id).Scan(&have)
	if err != nil && !errors.Is(err, sql.ErrNoRows) || err == nil && have == strings.TrimSpace(w.meta.Title) {
		return err
	}
	return w.say(0, entry{"title", w.meta.Title}, w.meta.At)
}

// forget removes texts, from the words too.
func forget(ctx context.Context, tx *sql.Tx, where string, args ...any) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM words WHERE rowid IN (SELECT id FROM said WHERE "+where+")", args...); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM said WHERE "+where, args...)
	return err
}

// summarised is the event of the slice that keeps the context, by its name: a model
// was asked for a summary, beside the conversation.
const summarised = "compaction/summary"

// spent gives the model and the tokens of an event that tells of some. A payload that
// cannot be read is verify's to report.
func spent(e session.Event) (model string, _ *llm.Usage, cost *llm.Money) {
	switch e.Type {
	case session.AssistantMessage.Name:
		if d, err := session.AssistantMessage.Decode(e); err == nil {
			return d.Model, d.Usage, d.Cost
		}
	case session.Titled.Name:
		if d, err := session.Titled.Decode(e); err == nil {
			return d.Model, d.Usage, d.Cost
		}
	case session.RequestAttempt.Name:
		if d, err := session.RequestAttempt.Decode(e); err == nil {
			return d.Model, d.Usage, d.Cost
		}
	case summarised:
		var d struct {
			Route string     `json:"route"`
			Usage *llm.Usage `json:"usage"`
			Cost  *llm.Money `json:"costUsd"`
		}
		if json.Unmarshal(e.Data, &d) == nil && d.Route != "" {
			return d.Route, d.Usage, d.Cost
		}
	}
	return "", nil, nil
}

// use adds a reply's tokens to its day.
func (w *writer) use(e session.Event) error {
	model, usage, cost := spent(e)
	if usage == nil {
		return nil
	}
	known := func(tokens int) any {
		if tokens < 0 {
			return nil // NULL adds nothing, and a sum of NULLs is NULL: unknown
		}
		return tokens
	}
	var price any
	unpriced := 1
	if cost != nil {
		price, unpriced = int64(*cost), 0
	}
	_, err := w.tx.ExecContext(w.ctx, `INSERT INTO used (day, session, model, requests, input, cached, output, reasoning, cost, unpriced) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET requests = requests + 1, input = coalesce(input + excluded.input, input, excluded.input),
		cached = coalesce(cached + excluded.cached, cached, excluded.cached), output = coalesce(output + excluded.output, output, excluded.output),
		reasoning = coalesce(reasoning + excluded.reasoning, reasoning, excluded.reasoning),
		cost = coalesce(cost + excluded.cost, cost, excluded.cost), unpriced = unpriced + excluded.unpriced`,
		time.UnixMilli(e.At).Format(time.DateOnly), w.id, model, known(usage.Input), known(usage.Cached), known(usage.Output), known(usage.Reasoning), price, unpriced)
	return err
}

// finish writes the session's row.
func (w *writer) finish(bytes int64, problem string) error {
	meta, err := json.Marshal(w.meta)
	if err != nil {
		return err
	}
	if err := w.name(); err != nil {
		return err
	}
	_, err = w.tx.ExecContext(w.ctx, `INSERT OR REPLACE INTO session (id, seq, hash, bytes, meta, at, archived, problem) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		w.id, w.seq, w.hash, bytes, string(meta), w.meta.At, w.meta.Archived, problem)
	return err
}

// erase removes everything that is kept of a session.
func erase(ctx context.Context, tx *sql.Tx, id session.ID) error {
	if err := forget(ctx, tx, "session = ?", id); err != nil {
		return err
	}
	for _, table := range []string{"session WHERE id", "used WHERE session"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" = ?", id); err != nil {
			return err
		}
	}
	return nil
}
