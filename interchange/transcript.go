package interchange

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"time"

	"fairlead/llm"
	"fairlead/session"
)

// transcript is a session as a person reads it: the order of the log, without
// pieces that a later event holds whole.
type transcript struct {
	Header session.Header
	Meta   session.MetaState
	Events int64
	Rows   []row
}

// row is something a reader sees. Kind is person, model, thinking, call, result, note
// or end.
type row struct {
	Kind   string
	At     time.Time
	Who    string // a model's or a tool's name
	Text   string
	What   string // of a call: the one thing that tells it apart
	Failed bool
	Images []picture
}

type picture struct {
	Name, MIME string
	Bytes      []byte
}

func transcriptOf(log *session.Log) (*transcript, error) {
	meta, err := session.StateOf(log, session.Meta)
	if err != nil {
		return nil, err
	}
	t := &transcript{Header: log.Header(), Meta: meta, Events: log.Seq()}
	for e, err := range log.Events(1) {
		if err != nil {
			return nil, err
		}
		rows, err := rowsOf(log, e)
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, rows...)
	}
	return t, nil
}

func rowsOf(log *session.Log, e session.Event) ([]row, error) {
	at := time.UnixMilli(e.At)
	switch e.Type {
	case session.UserMessage.Name:
		d, err := session.UserMessage.Decode(e)
		if err != nil {
			return nil, err
		}
		images, err := pictures(log, d.Content)
		return []row{{Kind: "person", At: at, Text: llm.Plain(d.Content), Images: images}}, err
	case session.AssistantMessage.Name:
		d, err := session.AssistantMessage.Decode(e)
		if err != nil {
			return nil, err
		}
		var rows []row
		for _, r := range d.Reasoning {
			if r.Text != "" {
				rows = append(rows, row{Kind: "thinking", At: at, Who: d.Model, Text: r.Text})
			}
		}
		if text := llm.Plain(d.Content); text != "" {
			rows = append(rows, row{Kind: "model", At: at, Who: d.Model, Text: text})
		}
		return rows, nil
	case session.ToolCall.Name:
		d, err := session.ToolCall.Decode(e)
		return []row{{Kind: "call", At: at, Who: d.Tool, What: d.Present.What, Text: d.Arguments}}, err
	case session.ToolResult.Name:
		d, err := session.ToolResult.Decode(e)
		if err != nil {
			return nil, err
		}
		text := llm.Plain(d.Content)
		if d.Spill != nil {
			whole, err := log.Blob(d.Spill.SHA256)
			if err != nil {
				return nil, err
			}
			text = string(whole)
		}
		images, err := pictures(log, d.Content)
		return []row{{Kind: "result", At: at, Text: text, Failed: d.Failed, Images: images}}, err
	case session.Note.Name:
		d, err := session.Note.Decode(e)
		return []row{{Kind: "note", At: at, Text: d.Text}}, err
	case session.TurnEnd.Name:
		d, err := session.TurnEnd.Decode(e)
		if err != nil || d.Reason.Kind == session.EndCompleted && d.Text == "" {
			return nil, err
		}
		return []row{{Kind: "end", At: at, Who: d.Reason.Kind, Text: d.Text}}, nil
	}
	return nil, nil
}

func pictures(log *session.Log, content []llm.Part) ([]picture, error) {
	var list []picture
	for _, p := range content {
		if p.MIME == "" || p.Blob == "" {
			continue
		}
		bytes, err := log.Blob(p.Blob)
		if err != nil {
			return nil, err
		}
		list = append(list, picture{p.Name, p.MIME, bytes})
	}
	return list, nil
}

// address makes a picture part of the page that shows it.
func (p picture) address() string {
	return "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Bytes)
}

// JSON writes a session as one object: its header, its state, and every event with
// its payload filled in.
func JSON(log *session.Log, w io.Writer) error {
	meta, err := session.StateOf(log, session.Meta)
	if err != nil {
		return err
	}
	head := struct {
		Format int               `json:"format"`
		Header session.Header    `json:"header"`
		State  session.MetaState `json:"state"`
	}{session.Format, log.Header(), meta}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(text[:len(text)-1], []byte(`,"events":[`)...)); err != nil {
		return err
	}
	before := "\n"
	for e, err := range log.Events(1) {
		if err != nil {
			return err
		}
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		before = ",\n"
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}
