package interchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"fairlead/fault"
	"fairlead/session"
)

// Brought says what an import made.
type Brought struct {
	Session session.ID `json:"session"`
	// Origin is the product the file came from; empty for our own archive.
	Origin string `json:"origin,omitempty"`
	Title  string `json:"title,omitempty"`
	Turns  int    `json:"turns"`
	// Left counts what the file holds and a session has no place for, by kind.
	Left map[string]int `json:"left,omitempty"`
}

// largest is the biggest file that is imported, in bytes.
const largest = 1 << 30

// Bring imports a session file: our own archive (ZIP), or a session of Claude Code,
// Codex or DeepSeek Harness (JSON lines). What kind it is is read off its content,
// never off its name. Nothing is made where it fails.
func Bring(ctx context.Context, lib *session.Library, r io.Reader) (Brought, error) {
	text, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err != nil {
		return Brought{}, fault.Wrap(fault.Unavailable, "interchange.bring", err, "The file cannot be read. Nothing was imported")
	}
	switch {
	case len(text) > largest:
		return Brought{}, fault.New(fault.TooLarge, "interchange.bring", "The file is over 1 GiB. Nothing was imported.")
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		return bringArchive(ctx, lib, text)
	}
	lines, err := readLines(text)
	if err != nil {
		return Brought{}, err
	}
	read, err := detect(lines)
	if err != nil {
		return Brought{}, err
	}
	c, err := read(lines)
	if err != nil {
		return Brought{}, err
	}
	return c.store(ctx, lib)
}

func (c *conversation) store(ctx context.Context, lib *session.Library) (_ Brought, err error) {
	drafts := c.drafts()
	if !slices.ContainsFunc(drafts, func(d session.Draft) bool { return d.Type == session.UserMessage.Name }) {
		return Brought{}, fault.New(fault.Invalid, "interchange.bring", "The file holds no message of a person. Nothing was imported.")
	}
	log, err := lib.Create(ctx, session.CreatedData{Folder: c.folder, Origin: c.origin})
	if err != nil {
		return Brought{}, err
	}
	if _, err = log.Append(ctx, drafts...); err == nil {
		err = log.Flush(ctx)
	}
	meta, metaErr := session.StateOf(log, session.Meta)
	if err = errors.Join(err, metaErr, log.Close(ctx)); err != nil {
		return Brought{}, errors.Join(err, lib.Delete(ctx, log.ID())) // whole or not at all
	}
	return Brought{Session: log.ID(), Origin: c.origin, Title: meta.Title, Turns: meta.Turns, Left: c.left}, nil
}

// line is one line of a file of JSON lines.
type line struct {
	number int
	text   []byte
}

func (l line) decode(v any) error {
	if err := json.Unmarshal(l.text, v); err != nil {
		return l.wrong("it is not what such a file holds", err)
	}
	return nil
}

func (l line) wrong(what string, err error) error {
	return fault.Wrap(fault.Invalid, "interchange.bring", err, "Line %d of the file cannot be read: %s. Nothing was imported", l.number, what)
}

// readLines splits a file of JSON lines. A last line that was cut off is left out: it
// is how a file looks whose writer was killed.
func readLines(text []byte) ([]line, error) {
	var lines []line
	in := bufio.NewReader(bytes.NewReader(text))
	for n := 1; ; n++ {
		raw, err := in.ReadBytes('\n')
		if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 {
			switch {
			case json.Valid(trimmed):
				lines = append(lines, line{n, trimmed})
			case err == nil || len(lines) == 0:
				return nil, fault.New(fault.Invalid, "interchange.bring", "Line %d of the file is no JSON, so it is no session file. Nothing was imported.", n)
			}
		}
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// detect tells the product from the first lines that say.
func detect(lines []line) (func([]line) (*conversation, error), error) {
	for _, l := range lines[:min(len(lines), 50)] {
		var probe struct {
			Type      string          `json:"type"`
			Payload   json.RawMessage `json:"payload"`
			Seq       *int64          `json:"seq"`
			Hash      string          `json:"h"`
			Version   *int            `json:"version"`
			CreatedAt *int64          `json:"createdAt"`
			SessionID string          `json:"sessionId"`
			Message   json.RawMessage `json:"message"`
			LeafUUID  string          `json:"leafUuid"`
			ID        string          `json:"id"`
			Timestamp string          `json:"timestamp"`
		}
		if json.Unmarshal(l.text, &probe) != nil {
			continue // a field of another shape: other lines will say
		}
		switch {
		case probe.Hash != "" && probe.Seq != nil:
			return nil, fault.New(fault.Invalid, "interchange.bring", "The file is the log of a session of our own. Nothing was imported. Export the session as zip where it is, and import that.")
		case probe.Type == "session_meta" || len(probe.Payload) > 0:
			return readCodex, nil
		case probe.SessionID != "" || probe.LeafUUID != "":
			return readClaude, nil
		case probe.Type == "" && probe.Version != nil && probe.CreatedAt != nil:
			return readDSH, nil
		case probe.Type == "" && probe.ID != "" && probe.Timestamp != "":
			return readCodex, nil
		}
	}
	return nil, fault.New(fault.Invalid, "interchange.bring", "The file is no session that is known here. Nothing was imported. Known are our own zip and sessions of Claude Code, Codex and DeepSeek Harness.")
}
