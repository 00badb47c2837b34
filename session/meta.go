package session

// MetaState is what a list of sessions shows.
type MetaState struct {
	Title string `json:"title,omitempty"`
	// TitleBy is as in TitledData; a person's title is not replaced by another's.
	TitleBy  string `json:"titleBy,omitempty"`
	Folder   string `json:"folder,omitempty"`
	Preset   string `json:"preset,omitempty"`
	Origin   string `json:"origin,omitempty"`
	Parent   ID     `json:"parent,omitempty"`
	ForkOf   ID     `json:"forkOf,omitempty"`
	Archived bool   `json:"archived,omitempty"`
	Pinned   bool   `json:"pinned,omitempty"`
	// Created and At are Unix milliseconds: of the first and of the last event.
	Created  int64 `json:"created"`
	At       int64 `json:"at"`
	Events   int64 `json:"events"`
	Turns    int   `json:"turns"`
	Messages int   `json:"messages"` // of people
	Replies  int   `json:"replies"`
	Calls    int   `json:"calls"`
	// Last is how the last turn ended; empty while one runs and before the first.
	Last EndReason `json:"last,omitzero"`
}

// Meta is the projection "session": title, folder and counts. Every library has it.
var Meta = Projection[MetaState]{Name: "session", Version: 1, Fold: foldMeta}

func foldMeta(s MetaState, e Event) MetaState {
	s.At = e.At
	s.Events++
	switch e.Type {
	case Created.Name:
		if d, err := Created.Decode(e); err == nil {
			s.Folder, s.Preset, s.Parent, s.Origin, s.Created = d.Folder, d.Preset, d.Parent, d.Origin, e.At
		}
	case Forked.Name:
		if d, err := Forked.Decode(e); err == nil {
			s.ForkOf, s.Parent, s.Created, s.Archived, s.Pinned = d.Parent, d.For, e.At, false, false
		}
	case Titled.Name:
		if d, err := Titled.Decode(e); err == nil && (s.TitleBy != ByPerson || d.By == ByPerson) {
			s.Title, s.TitleBy = d.Title, d.By
		}
	case Archived.Name:
		if d, err := Archived.Decode(e); err == nil {
			s.Archived, s.Pinned = d.Archived, d.Pinned
		}
	case PresetSelected.Name:
		if d, err := PresetSelected.Decode(e); err == nil {
			s.Preset = d.Preset
		}
	case TurnStart.Name:
		s.Turns, s.Last = max(s.Turns+1, e.Turn), EndReason{}
	case TurnEnd.Name:
		if d, err := TurnEnd.Decode(e); err == nil {
			s.Last = d.Reason
		}
	case UserMessage.Name:
		s.Messages++
	case AssistantMessage.Name:
		s.Replies++
	case ToolCall.Name:
		s.Calls++
	}
	return s
}
