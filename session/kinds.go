package session

import (
	"encoding/json"

	"fairlead/llm"
)

// The kinds every session uses: its life, turns, steps, the inbox, what was said,
// what was sent and what tools did. Slices declare their own beside their code.
var (
	Created    = Kind[CreatedData]{Name: "session/created", Doc: "the session exists; always event 1 of a log that is not a fork"}
	Titled     = Kind[TitledData]{Name: "session/titled", Doc: "the session has a title; a person's pins it"}
	TitleAsked = Kind[TitleAskedData]{Name: "title/asked", Doc: "a model is asked for a title: a request beside those of the turns, with all it is made of", Ignorable: true}
	Forked     = Kind[ForkedData]{Name: "session/forked", Doc: "the session goes on from another one's event; the first event of a fork's own"}
	Upgraded   = Kind[UpgradedData]{Name: "session/upgraded", Doc: "the log goes on in a newer format; what stands before it is read as it was written"}
	Archived   = Kind[ArchivedData]{Name: "session/archived", Doc: "put away, brought back or pinned", Ignorable: true}
	Recovered  = Kind[RecoveredData]{Name: "session/recovered", Doc: "a host ended in the middle of a turn; what was open is settled", Ignorable: true}
	Incident   = Kind[IncidentData]{Name: "session/incident", Doc: "damage was found and set aside", Ignorable: true}

	ActivityStart = Kind[struct{}]{Name: "activity/start", Doc: "the agent begins to run", Ignorable: true}
	ActivityEnd   = Kind[struct{}]{Name: "activity/end", Doc: "the agent is idle", Ignorable: true}
	TurnStart     = Kind[TurnStartData]{Name: "turn/start", Doc: "admitted input is being drained"}
	TurnEnd       = Kind[TurnEndData]{Name: "turn/end", Doc: "the turn is over, with its first cause"}
	StepStart     = Kind[struct{}]{Name: "step/start", Doc: "one model request and its calls begin"}
	StepEnd       = Kind[struct{}]{Name: "step/end", Doc: "the step is over"}
	InboxChanged  = Kind[InboxChangedData]{Name: "inbox/changed", Doc: "a message was queued, claimed, edited, promoted or removed"}

	UserMessage = Kind[UserMessageData]{Name: "user/message", Doc: "what the person said", Message: func(d UserMessageData) *llm.Message {
		return &llm.Message{Role: llm.User, Content: d.Content}
	}}
	Injected = Kind[InjectedData]{Name: "context/injected", Doc: "what the harness tells the model, as a message of the user's side", Message: func(d InjectedData) *llm.Message {
		return &llm.Message{Role: llm.User, Content: llm.Text(d.Text)}
	}}
	RequestHeader   = Kind[RequestHeaderData]{Name: "request/header", Doc: "what is about to be sent, by hashes and references"}
	RequestAttempt  = Kind[RequestAttemptData]{Name: "request/attempt", Doc: "an attempt failed; whether and when the next one follows", Ignorable: true}
	RequestRepaired = Kind[RequestRepairedData]{Name: "request/repaired", Doc: "what the normaliser changed on the way out", Ignorable: true}
	PrefixBroken    = Kind[PrefixBrokenData]{Name: "prefix/broken", Doc: "the next request does not extend the last one, and why", Ignorable: true}

	AssistantDelta   = Kind[DeltaData]{Name: "assistant/delta", Doc: "a pack of streamed text; superseded by the message", Ignorable: true}
	AssistantMessage = Kind[AssistantMessageData]{Name: "assistant/message", Doc: "a reply, whole or interrupted", Message: func(d AssistantMessageData) *llm.Message {
		return &llm.Message{Role: llm.Assistant, Content: d.Content, Reasoning: d.Reasoning, Calls: d.Calls}
	}}

	ToolCall     = Kind[ToolCallData]{Name: "tool/call", Doc: "a call enters the pipeline"}
	ToolStarted  = Kind[ToolStartedData]{Name: "tool/started", Doc: "the call's body runs; without it a call had no effect", Ignorable: true}
	ToolProgress = Kind[ToolProgressData]{Name: "tool/progress", Doc: "output so far, in packs", Ignorable: true}
	ToolSubcall  = Kind[ToolCallData]{Name: "tool/subcall", Doc: "a call made inside another call's program", Ignorable: true}
	ToolResult   = Kind[ToolResultData]{Name: "tool/result", Doc: "what came of a call; every call has exactly one", Message: func(d ToolResultData) *llm.Message {
		if d.Parent != "" {
			return nil
		}
		return &llm.Message{Role: llm.ToolRole, CallID: d.ModelID, Content: d.Content, Failed: d.Failed}
	}}

	ModelSelected  = Kind[ModelSelectedData]{Name: "model/selected", Doc: "model and effort from the next step on"}
	PresetSelected = Kind[PresetSelectedData]{Name: "preset/selected", Doc: "the capability set of the session", Ignorable: true}
	Note           = Kind[NoteData]{Name: "note", Doc: "told to the person, never to the model", Ignorable: true}
)

// Kinds lists what this room declares.
func Kinds() []AnyKind {
	return []AnyKind{Created, Titled, TitleAsked, Forked, Upgraded, Archived, Recovered, Incident, ActivityStart, ActivityEnd, TurnStart, TurnEnd,
		StepStart, StepEnd, InboxChanged, UserMessage, Injected, RequestHeader, RequestAttempt, RequestRepaired, PrefixBroken,
		AssistantDelta, AssistantMessage, ToolCall, ToolStarted, ToolProgress, ToolSubcall, ToolResult, ModelSelected, PresetSelected, Note}
}

// CreatedData opens a log.
type CreatedData struct {
	Format  int    `json:"format"`  // of the log, [Format]
	Version string `json:"version"` // of the product that wrote it
	ID      ID     `json:"id"`
	// Folder is the absolute workspace path; empty for a session without one.
	Folder string `json:"folder,omitempty"`
	Preset string `json:"preset,omitempty"`
	// Parent is set for a helper's session and for a task's run.
	Parent ID `json:"parent,omitempty"`
	// Origin is set where the session was imported: the product it came from.
	Origin string `json:"origin,omitempty"`
}

// Who a title may be by.
const (
	ByPrompt = "prompt"
	ByModel  = "model"
	ByPerson = "person"
)

// TitledData names a session; By is who did. Of a model's title, Model is the route
// and Usage what it cost.
type TitledData struct {
	Title string     `json:"title"`
	By    string     `json:"by"`
	Model string     `json:"model,omitempty"`
	Usage *llm.Usage `json:"usage,omitempty"`
	Cost  *llm.Money `json:"costUsd,omitempty"` // nil where it is unknown
}

// TitleAskedData is the request for a title, whole: Text is its one message. Body is
// the SHA-256 of the bytes that were sent, which can be written again from the rest.
type TitleAskedData struct {
	Route  string     `json:"route"`
	Model  string     `json:"model"`
	Wire   string     `json:"wire"`
	System string     `json:"system"`
	Text   string     `json:"text"`
	Params llm.Params `json:"params,omitzero"`
	Body   string     `json:"body"`
	Bytes  int        `json:"bytes"`
}

// ForkedData says where a fork goes on from: ID is the fork, and everything up to
// the parent's event Seq, whose hash is Hash, is its history too.
type ForkedData struct {
	Format  int    `json:"format"`
	Version string `json:"version"`
	ID      ID     `json:"id"`
	Parent  ID     `json:"parent"`
	Seq     int64  `json:"seq"`
	Hash    string `json:"hash"`
	// For is set where the fork works for another session, as a helper's does.
	For ID `json:"for,omitempty"`
}

// UpgradedData is in a log that a newer build goes on with: Format holds from the
// next event on, Version is that of the product.
type UpgradedData struct {
	Format  int    `json:"format"`
	Version string `json:"version"`
}

// ArchivedData is the whole state, not a change.
type ArchivedData struct {
	Archived bool `json:"archived"`
	Pinned   bool `json:"pinned"`
}

// RecoveredData says what a start found open.
type RecoveredData struct {
	Turn           int      `json:"turn"`
	NotStarted     []string `json:"notStarted,omitempty"`
	OutcomeUnknown []string `json:"outcomeUnknown,omitempty"`
}

// The words an incident has for what was found.
const (
	FoundTail        = "torn-tail"    // the end of the log could not be read and was set aside
	FoundFirst       = "first-record" // nothing could be read: the session begins anew
	FoundHole        = "hole"         // something in the middle cannot be read
	FoundChanged     = "changed"      // an event is not the one that was written
	FoundGap         = "gap"          // numbers are missing
	FoundOrder       = "order"        // numbers run back
	FoundRepeated    = "repeated"     // an event stands twice; it counts once
	FoundShorter     = "shorter"      // the log ends before its last checkpoint
	FoundBlobMissing = "blob-missing" // a payload beside the log is gone or changed
	FoundHistory     = "history"      // what a fork shares with its parent is gone or changed
)

// IncidentData describes damage: one incident for each hole, with its place. Kept
// names the file beside the log that holds the damaged bytes.
type IncidentData struct {
	What string `json:"what"`
	// Text says it in plain words.
	Text string `json:"text"`
	// AfterSeq is the last event before it that could be read.
	AfterSeq int64 `json:"afterSeq"`
	// Line and Offset place it in the file: lines count from 1, bytes from 0.
	Line   int64 `json:"line,omitempty"`
	Offset int64 `json:"offset,omitempty"`
	Bytes  int64 `json:"bytes,omitempty"`
	// Lost are the numbers whose events are gone, where that is known.
	Lost *Span  `json:"lost,omitempty"`
	Kept string `json:"kept,omitempty"`
}

// TurnStartData names the messages the turn drains and how it runs.
type TurnStartData struct {
	Mode   string `json:"mode"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	Origin string `json:"origin,omitempty"` // "person", "goal", "task", "parent", "job", "helper"
}

// EndReason says why a turn ended. By is set for aborted ("user", "parent",
// "hook", "shutdown"), budget ("steps", "tokens", "money", "time") and guard (what
// went on without end: "repeated", "alternating", "varied", "babbling", "searches",
// "failed-searches", "plan", "context").
type EndReason struct {
	Kind string `json:"kind"`
	By   string `json:"by,omitempty"`
}

// The kinds of end, in one place for the loop, the page and exit codes.
const (
	EndCompleted   = "completed"
	EndAborted     = "aborted"
	EndBlocked     = "blocked"
	EndError       = "error"
	EndMaxTokens   = "max-tokens"
	EndInterrupted = "interrupted"
	EndGuard       = "guard"
	EndBudget      = "budget"
)

// TurnEndData closes a turn. Text is the sentence for the person where there is
// something to say, Key and Values are the same for the message catalog; Error is
// set where Reason is an error.
type TurnEndData struct {
	Reason  EndReason      `json:"reason"`
	Text    string         `json:"text,omitempty"`
	Key     string         `json:"key,omitempty"`
	Values  map[string]any `json:"values,omitempty"`
	Error   *ErrorData     `json:"error,omitempty"`
	Usage   llm.Usage      `json:"usage"`
	Steps   int            `json:"steps"`
	Millis  int64          `json:"ms"`
	Changed []string       `json:"changed,omitempty"` // files the turn's tools changed, relative to the folder
	Cost    *llm.Money     `json:"costUsd,omitempty"` // nil where a price is unknown, which is never 0
}

// ErrorData is a failure as the log keeps it.
type ErrorData struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details string `json:"details,omitempty"`
}

// Queued is a message in the inbox.
type Queued struct {
	ID      string     `json:"id"`
	Content []llm.Part `json:"content"`
	// Delivery is "follow-up", "steer" or "inject".
	Delivery string `json:"delivery"`
	// Origin is as in TurnStartData; Source names what injected it.
	Origin string `json:"origin,omitempty"`
	Source string `json:"source,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
}

// InboxChangedData is one change of the inbox. Op is "queued", "claimed",
// "edited", "promoted", "removed", "held" or "released"; Message is set for queued and
// edited, IDs otherwise.
type InboxChangedData struct {
	Op      string   `json:"op"`
	Message *Queued  `json:"message,omitempty"`
	IDs     []string `json:"ids,omitempty"`
}

// UserMessageData is a person's message as the model sees it.
type UserMessageData struct {
	ID       string     `json:"id"`
	Content  []llm.Part `json:"content"`
	Delivery string     `json:"delivery,omitempty"`
	Origin   string     `json:"origin,omitempty"`
}

// InjectedData is context the harness adds. Source names the plugin.
type InjectedData struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Text   string `json:"text"`
}

// RequestHeaderData lets the exact bytes of a request be rebuilt: the surface as it
// was after event Surface, the prompt and the tools by hash, the rest as it
// is. Request counts from 1 in a session.
type RequestHeaderData struct {
	Request int        `json:"request"`
	Route   string     `json:"route"`
	Model   string     `json:"model"`
	Wire    string     `json:"wire"`
	Surface int64      `json:"surface"`
	System  string     `json:"system"` // SHA-256 of the system prompt, a blob
	Tools   string     `json:"tools"`  // SHA-256 of the canonical JSON of the tool schemas, a blob
	Params  llm.Params `json:"params"`
	Body    string     `json:"body"` // SHA-256 of the bytes sent
	Bytes   int        `json:"bytes"`
	// Same of Prior bytes of the last request (its tools and messages; options do not
	// count) stand unchanged at the start of this one. Equal numbers mean that it
	// extends the last one.
	Same  int `json:"same"`
	Prior int `json:"prior"`
	// Until and Ask are set where the harness asked something beside the conversation:
	// what the model saw ends with the entry of event Until, and behind it stands the
	// question, a blob with the SHA-256 Ask. Neither it nor the reply joins the surface.
	Until int64  `json:"until,omitempty"`
	Ask   string `json:"ask,omitempty"`
}

// RequestAttemptData is a failed attempt. WaitMillis is the wait before the next
// one; Final is set on the last.
type RequestAttemptData struct {
	Request    int    `json:"request"`
	Attempt    int    `json:"attempt"`
	Code       string `json:"code"`
	Status     int    `json:"status,omitempty"`
	Message    string `json:"message,omitempty"`
	WaitMillis int64  `json:"waitMs,omitempty"`
	Final      bool   `json:"final,omitempty"`
	// Usage and Cost are what the attempt used up all the same, where that is known;
	// Model is then the route.
	Model string     `json:"model,omitempty"`
	Usage *llm.Usage `json:"usage,omitempty"`
	Cost  *llm.Money `json:"costUsd,omitempty"`
}

// RequestRepairedData lists the normaliser's changes in plain words.
type RequestRepairedData struct {
	Request int      `json:"request"`
	Repairs []string `json:"repairs"`
}

// PrefixBrokenData names the cause: "mode", "model", "tools", "compaction", "prompt",
// "history".
type PrefixBrokenData struct {
	Cause string `json:"cause"`
}

// DeltaData is a piece of a streaming message: the bytes of one channel from
// Offset on. Channel is "text", "reasoning" or "call"; for a call, Call is its
// index and Name its tool.
type DeltaData struct {
	Message string `json:"message"`
	Channel string `json:"channel"`
	Offset  int64  `json:"offset"`
	Text    string `json:"text"`
	Call    int    `json:"call,omitempty"`
	Name    string `json:"name,omitempty"`
	// Thought is true where all text so far turned out to be thinking: viewers move
	// it there, and the text counts from 0 again.
	Thought bool `json:"thought,omitempty"`
}

// AssistantMessageData is a reply. Interrupted marks a prefix that was kept when
// the stream ended early; such a message has no calls.
type AssistantMessageData struct {
	ID          string           `json:"id"`
	Content     []llm.Part       `json:"content,omitempty"`
	Reasoning   []llm.Reasoning  `json:"reasoning,omitempty"`
	Calls       []llm.Call       `json:"calls,omitempty"`
	Finish      llm.FinishReason `json:"finish,omitempty"`
	Usage       *llm.Usage       `json:"usage,omitempty"`   // of an interrupted one its attempt has it
	Cost        *llm.Money       `json:"costUsd,omitempty"` // nil where it is unknown
	Model       string           `json:"model,omitempty"`
	Interrupted bool             `json:"interrupted,omitempty"`
	Millis      int64            `json:"ms,omitempty"`      // whole reply
	FirstMillis int64            `json:"firstMs,omitempty"` // to the first token
	ThinkMillis int64            `json:"thinkMs,omitempty"` // spent on reasoning
}

// Present is how a call shows on a card and in a list; a pure function of its
// arguments, worked out by the harness, never by the model.
type Present struct {
	// Verb is a catalog word: read, write, change, run, search, find, open, web, ask, use, plan.
	Verb string `json:"verb"`
	// What tells calls apart: a path relative to the workspace, a command's first line, the words searched.
	What string `json:"what"`
	// Full is What uncut, for titles.
	Full string `json:"full,omitempty"`
	// Looks is true where the call only looks.
	Looks bool `json:"looks,omitempty"`
}

// ToolCallData opens a call. Call is our id, unique in the session; ModelID is the
// id the model's message gave it. Arguments is the raw text.
type ToolCallData struct {
	Call      string  `json:"call"`
	ModelID   string  `json:"modelId,omitempty"`
	Parent    string  `json:"parent,omitempty"`
	Caller    string  `json:"caller"` // "model", "program", "package", "mcp", "helper", "person"
	Tool      string  `json:"tool"`
	Arguments string  `json:"arguments"`
	Present   Present `json:"present"`
}

// ToolStartedData is durable before a body that may change something runs.
type ToolStartedData struct {
	Call string `json:"call"`
}

// ToolProgressData is a pack of output while a call runs; Offset counts bytes.
type ToolProgressData struct {
	Call   string `json:"call"`
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
}

// ToolResultData closes a call. Call is empty where recovery answers a call of the
// model's that never entered the pipeline. Code is a stable word for a failure; DeniedBy is
// "person", "mode", "nobody", "rule" or "guard". View feeds the card: its shape is
// named by View.Kind.
type ToolResultData struct {
	Call     string          `json:"call"`
	ModelID  string          `json:"modelId,omitempty"`
	Parent   string          `json:"parent,omitempty"`
	Content  []llm.Part      `json:"content"`
	Failed   bool            `json:"failed,omitempty"`
	Code     string          `json:"code,omitempty"`
	DeniedBy string          `json:"deniedBy,omitempty"`
	View     json.RawMessage `json:"view,omitempty"`
	// Spill is the blob that holds the whole result where Content is a preview.
	Spill  *BlobRef `json:"spill,omitempty"`
	Millis int64    `json:"ms,omitempty"`
}

// ModelSelectedData is the choice from the next step on.
type ModelSelectedData struct {
	Route  string `json:"route"`
	Effort string `json:"effort,omitempty"`
}

// PresetSelectedData names a preset.
type PresetSelectedData struct {
	Preset string `json:"preset"`
}

// NoteData is a sentence of the product's own, by catalog key where it has one.
type NoteData struct {
	Key    string         `json:"key,omitempty"`
	Values map[string]any `json:"values,omitempty"`
	Text   string         `json:"text"`
	Level  string         `json:"level,omitempty"` // "", "warn", "bad"
}

// Result codes that recovery writes.
const (
	CodeNotStarted     = "TOOL_NOT_STARTED"
	CodeOutcomeUnknown = "TOOL_OUTCOME_UNKNOWN"
)
