package server

import (
	"encoding/base64"
	"net/http"
	"strings"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// Message is what a person says. ID is the sender's own: sent again, it is the
// same message. Delivery is "follow-up" (the default) or "steer".
type Message struct {
	ID          string       `json:"id,omitempty"`
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Mode        string       `json:"mode,omitempty"`
	Model       string       `json:"model,omitempty"`
	Effort      string       `json:"effort,omitempty"`
	Delivery    string       `json:"delivery,omitempty"`
}

// Attachment names a blob that was posted before.
type Attachment struct {
	SHA256 string `json:"sha256"`
	MIME   string `json:"mime"`
	Name   string `json:"name,omitempty"`
}

// MessageID answers a message that is durable.
type MessageID struct {
	MessageID string `json:"messageId"`
}

func (s *Server) postMessage(c *call) (any, error) {
	if err := s.underWay(); err != nil {
		return nil, err
	}
	var m Message
	if err := c.read(&m); err != nil {
		return nil, err
	}
	a, err := s.agent(c)
	if err != nil {
		return nil, err
	}
	id, err := send(c, a, m)
	if err != nil {
		return nil, err
	}
	return accepted{MessageID{id}}, nil
}

// send hands a message to the agent.
func send(c *call, a *agent.Agent, m Message) (string, error) {
	in := agent.Input{ID: m.ID, Mode: m.Mode, Model: m.Model, Effort: m.Effort, Origin: "person"}
	if m.Text != "" {
		in.Content = append(in.Content, llm.Part{Text: m.Text})
	}
	for _, at := range m.Attachments {
		part, err := attached(a.Log(), at)
		if err != nil {
			return "", err
		}
		in.Content = append(in.Content, part)
	}
	switch m.Delivery {
	case "", agent.FollowUp:
		return a.Send(c.Context(), in)
	case agent.Steer:
		return a.Steer(c.Context(), in)
	}
	return "", fault.New(fault.Invalid, "server.message", "delivery is %q; it is follow-up or steer. Nothing was sent.", m.Delivery)
}

// attached makes a part of a posted blob: a picture stays a blob, text becomes
// text, anything else is refused.
func attached(log *session.Log, at Attachment) (llm.Part, error) {
	if strings.HasPrefix(at.MIME, "image/") {
		if _, err := log.Blob(at.SHA256); err != nil {
			return llm.Part{}, err
		}
		return llm.Part{MIME: at.MIME, Blob: at.SHA256, Name: at.Name}, nil
	}
	if strings.HasPrefix(at.MIME, "text/") || at.MIME == "application/json" {
		text, err := log.Blob(at.SHA256)
		if err != nil {
			return llm.Part{}, err
		}
		return llm.Part{Text: "<file name=" + quoted(at.Name) + ">\n" + string(text) + "\n</file>"}, nil
	}
	return llm.Part{}, fault.New(fault.Invalid, "server.message", "A file of type %s cannot be read by a model. Nothing was sent; attach text or a picture.", at.MIME)
}

func quoted(name string) string {
	return `"` + strings.NewReplacer(`"`, "'", "\n", " ", "<", "‹", ">", "›").Replace(name) + `"`
}

func (s *Server) stopTurn(c *call) (any, error) {
	var none struct{}
	if err := c.read(&none); err != nil {
		return nil, err
	}
	a, live := s.options.Host.Live(session.ID(c.PathValue("id")))
	if !live {
		return struct{}{}, nil // nothing runs, so it is stopped
	}
	if err := a.Cancel(c.Context(), "user"); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}

// Blob answers a kept attachment.
type Blob struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

func (s *Server) postBlob(c *call) (any, error) {
	if err := s.underWay(); err != nil {
		return nil, err
	}
	content, err := c.bytes()
	if err != nil {
		return nil, err
	}
	a, err := s.agent(c)
	if err != nil {
		return nil, err
	}
	ref, err := a.Log().PutBlob(c.Context(), content)
	if err != nil {
		return nil, err
	}
	return Blob{SHA256: ref.SHA256, Size: ref.Size}, nil
}

// readBlob gives bytes back as bytes: never as something a browser would run.
func (s *Server) readBlob(w http.ResponseWriter, c *call) error {
	log, err := s.log(c)
	if err != nil {
		return err
	}
	defer log.done()
	content, err := log.Blob(c.PathValue("sha256"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	write(w, content)
	return nil
}

// posted is a blob that came as JSON.
type posted struct {
	Data string `json:"data"` // base64
}

// bytes reads a body of bytes: as they are, or as base64 in JSON. A form and plain
// text are refused: a page of another origin could send them.
func (c *call) bytes() ([]byte, error) {
	kind, _, _ := strings.Cut(c.Header.Get("Content-Type"), ";")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
	case "application/json":
		var p posted
		if err := c.read(&p); err != nil {
			return nil, err
		}
		content, err := base64.StdEncoding.DecodeString(p.Data)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, "server.blob", err, "The attachment is not base64. Nothing was kept.")
		}
		return content, nil
	case "", "text/plain", "multipart/form-data", "application/x-www-form-urlencoded":
		return nil, refuse(http.StatusUnsupportedMediaType, fault.Invalid, "", "An attachment comes as application/octet-stream, as its picture type, or as base64 in JSON. Nothing was kept.")
	}
	return c.everything()
}
