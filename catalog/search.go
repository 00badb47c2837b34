package catalog

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"fairlead/llm"
	"fairlead/session"
)

// Query is what a person looks for.
type Query struct {
	// Words as typed: all must be there; "quoted ones" together; the last may be a beginning.
	Words string
	// Archived includes sessions that were put away.
	Archived bool
	// Session narrows the search to one session.
	Session session.ID
	// Limit of hits; 0 means 50.
	Limit int
}

// Hit is one place where the words were found.
type Hit struct {
	Session session.ID `json:"session"`
	Title   string     `json:"title"`
	Folder  string     `json:"folder,omitempty"`
	Seq     int64      `json:"seq"` // 0 where the title was found
	Who     string     `json:"who"` // person, model, tool, title
	At      int64      `json:"at"`
	// Snippet is a piece of the text around the first word; Marks are the byte ranges in it that match.
	Snippet string   `json:"snippet"`
	Marks   [][2]int `json:"marks,omitempty"`
}

// Search finds places: titles first, then the newest. It does not rank by how rare a
// word is: that would read every match, and people look for what they did lately.
func (c *Catalog) Search(ctx context.Context, q Query) ([]Hit, error) {
	hits := []Hit{}
	match := expression(q.Words)
	if match == "" {
		return hits, nil
	}
	if q.Limit <= 0 {
		q.Limit = 50
	}
	err := c.with(ctx, func(db *sql.DB) error {
		hits = hits[:0]
		for _, column := range []string{"title", "text"} {
			found, err := places(ctx, db, "{"+column+"} : ("+match+")", q, q.Limit-len(hits))
			if err != nil {
				return err
			}
			hits = append(hits, found...)
		}
		return nil
	})
	return hits, err
}

func places(ctx context.Context, db *sql.DB, match string, q Query, limit int) ([]Hit, error) {
	rows, err := db.QueryContext(ctx, `SELECT said.session, said.seq, said.who, said.at, said.text, session.meta
		FROM words CROSS JOIN said ON said.id = words.rowid CROSS JOIN session ON session.id = said.session
		WHERE words MATCH ? AND (? OR NOT session.archived) AND (? = '' OR said.session = ?)
		ORDER BY words.rowid DESC LIMIT ?`, match, q.Archived, q.Session, q.Session, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hits []Hit
	for rows.Next() {
		var h Hit
		var text, meta string
		if err := rows.Scan(&h.Session, &h.Seq, &h.Who, &h.At, &text, &meta); err != nil {
			return nil, err
		}
		var m session.MetaState
		if err := json.Unmarshal([]byte(meta), &m); err != nil {
			return nil, err
		}
		h.Title, h.Folder = m.Title, m.Folder
		h.Snippet, h.Marks = snippet(text, q.Words)
		hits = append(hits, h)
	}
	return hits, rows.Err()
}

// around is how many bytes of text stand before and after the first match.
const around = 80

// snippet cuts a piece around the first of the words out of a text and marks every
// word in it.
func snippet(text, typed string) (string, [][2]int) {
	words := strings.FieldsFunc(strings.ReplaceAll(typed, `"`, " "), unicode.IsSpace)
	folded := fold(text)
	at := len(text)
	for _, w := range words {
		if i := strings.Index(folded, fold(w)); i >= 0 {
			at = min(at, i)
		}
	}
	if at == len(text) {
		at = 0
	}
	begin, end := max(0, at-around), min(len(text), at+2*around)
	for begin > 0 && !utf8.RuneStart(text[begin]) {
		begin--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	piece := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text[begin:end])
	return piece, marks(fold(piece), words)
}

func marks(folded string, words []string) [][2]int {
	var found [][2]int
	for _, w := range words {
		w = fold(w)
		if w == "" {
			continue
		}
		for from := 0; ; {
			i := strings.Index(folded[from:], w)
			if i < 0 {
				break
			}
			found = append(found, [2]int{from + i, from + i + len(w)})
			from += i + len(w)
		}
	}
	return found
}

// fold lowers ASCII letters only, so that every byte keeps its place.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Row is one session of a list.
type Row struct {
	ID session.ID `json:"id"`
	session.MetaState
	Problem string `json:"problem,omitempty"`
}

// Sessions lists sessions, the one used last first.
func (c *Catalog) Sessions(ctx context.Context, archived bool) ([]Row, error) {
	list := []Row{}
	err := c.with(ctx, func(db *sql.DB) error {
		list = list[:0]
		rows, err := db.QueryContext(ctx, "SELECT id, meta, problem FROM session WHERE ? OR NOT archived ORDER BY at DESC", archived)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var r Row
			var meta string
			if err := rows.Scan(&r.ID, &meta, &r.Problem); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(meta), &r.MetaState); err != nil {
				return err
			}
			list = append(list, r)
		}
		return rows.Err()
	})
	return list, err
}

// Day is what was used on one day with one model.
type Day struct {
	Day      string    `json:"day"` // YYYY-MM-DD
	Model    string    `json:"model"`
	Requests int       `json:"requests"`
	Usage    llm.Usage `json:"usage"`
	// Cost is what is known of it, nil where that is nothing; Unpriced of the requests
	// have a cost that is not known.
	Cost     *llm.Money `json:"costUsd,omitempty"`
	Unpriced int        `json:"unpriced,omitempty"`
}

// Days gives the use of the last days, newest first.
func (c *Catalog) Days(ctx context.Context, limit int) ([]Day, error) {
	days := []Day{}
	err := c.with(ctx, func(db *sql.DB) error {
		days = days[:0]
		rows, err := db.QueryContext(ctx, `SELECT day, model, sum(requests), coalesce(sum(input), -1), coalesce(sum(cached), -1), coalesce(sum(output), -1), coalesce(sum(reasoning), -1), sum(cost), sum(unpriced)
			FROM used WHERE day IN (SELECT DISTINCT day FROM used ORDER BY day DESC LIMIT ?) GROUP BY day, model ORDER BY day DESC, model`, limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var d Day
			if err := rows.Scan(&d.Day, &d.Model, &d.Requests, &d.Usage.Input, &d.Usage.Cached, &d.Usage.Output, &d.Usage.Reasoning, &d.Cost, &d.Unpriced); err != nil {
				return err
			}
			days = append(days, d)
		}
		return rows.Err()
	})
	return days, err
}
