package tool

import "fairlead/session"

// The kinds of decisions about calls. They are declared here because the pipeline
// itself writes one where nobody else keeps decisions.
var (
	Asked   = session.Kind[AskedData]{Name: "approval/asked", Doc: "a person is asked about a call, with everything the card shows"}
	Decided = session.Kind[DecidedData]{Name: "approval/decided", Doc: "whether a call may run and who said so; every call has one, also where nobody was asked", Ignorable: true}
)

// Kinds lists what this room declares.
func Kinds() []session.AnyKind { return []session.AnyKind{Asked, Decided, FileObserved, FileChanged} }

// AskedData is a question. Hash is what the answer must carry: it covers the tool,
// the canonical arguments, the folder, the mode and the card's Binds.
type AskedData struct {
	Call string `json:"call"`
	Hash string `json:"hash"`
	Tool string `json:"tool"`
	Card Card   `json:"card"`
	Cwd  string `json:"cwd,omitempty"`
	Mode string `json:"mode"`
	// Chat is the session that the asking one works for, where it is a helper's: the
	// question may be answered there, too.
	Chat session.ID `json:"chat,omitempty"`
}

// DecidedData is a decision. Decision is "approved" or "denied" where a person or
// nobody answered or policy refused, "allowed" where no question was needed. By is
// "person", "mode", "rule", "proof", "tool", "guard" or "nobody".
type DecidedData struct {
	Call     string `json:"call"`
	Decision string `json:"decision"`
	By       string `json:"by"`
	Rule     string `json:"rule,omitempty"`
	Note     string `json:"note,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Hash     string `json:"hash,omitempty"`
}

// What calls learn of files and do to them. The kinds are declared here so that
// whoever takes changes back need not know the tools that made them.
var (
	FileObserved = session.Kind[FileObservedData]{Name: "file/observed", Doc: "the bytes of a file that a call has shown to the model", Ignorable: true}
	FileChanged  = session.Kind[FileChangedData]{Name: "file/changed", Doc: "a call changed a file; what stood there before and after", Ignorable: true}
)

// FileObservedData says what a file was when the model saw it. Path is absolute and
// resolved; SHA256 is that of the file's bytes or [Absent].
type FileObservedData struct {
	Call   string `json:"call"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// FileChangedData is a change of one file. Path is absolute and resolved. Before
// and After are nil where there was or is no file; Mode are the permission bits
// afterwards, or of what was deleted.
type FileChangedData struct {
	Call    string           `json:"call"`
	Path    string           `json:"path"`
	Before  *session.BlobRef `json:"before,omitempty"`
	After   *session.BlobRef `json:"after,omitempty"`
	Mode    uint32           `json:"mode"`
	Added   int              `json:"added"`   // lines
	Removed int              `json:"removed"` // lines
}
