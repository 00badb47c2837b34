package extension

import "fairlead/session"

// The life of packages as the log tells it. What runs now is a view: after a restart
// nothing does.
var (
	Defined   = session.Kind[DefinedData]{Name: "package/defined", Doc: "a version of a dynamic package was defined; it never changes", Ignorable: true}
	Activated = session.Kind[ActivatedData]{Name: "package/activated", Doc: "a version of a package runs in the place of the one before", Ignorable: true}
	Stopped   = session.Kind[StoppedData]{Name: "package/stopped", Doc: "a package was stopped; its versions are kept", Ignorable: true}
	Failed    = session.Kind[FailedData]{Name: "package/failed", Doc: "a running package passed a bound or broke, and whether it was started once more", Ignorable: true}
	Undefined = session.Kind[UndefinedData]{Name: "package/undefined", Doc: "a package is gone with all its versions", Ignorable: true}
)

// Kinds lists what this room declares.
func Kinds() []session.AnyKind {
	return []session.AnyKind{Defined, Activated, Stopped, Failed, Undefined}
}

// DefinedData names a version. SHA256 is that of its code, which stands in the
// arguments of Call.
type DefinedData struct {
	Call    string `json:"call"`
	Package string `json:"package"`
	Version int    `json:"version"`
	Purpose string `json:"purpose,omitempty"`
	SHA256  string `json:"sha256"`
}

// ActivatedData names the version that runs now and the one that ran before, 0 for none.
type ActivatedData struct {
	Call    string `json:"call"`
	Package string `json:"package"`
	Version int    `json:"version"`
	Before  int    `json:"before,omitempty"`
	// Offers lists what it registers, such as "tool word_count".
	Offers []string `json:"offers,omitempty"`
}

// StoppedData says who stopped a package: "model" or "person".
type StoppedData struct {
	Package string `json:"package"`
	Version int    `json:"version"`
	By      string `json:"by"`
}

// FailedData says why. Again is true where the package was started once more, with
// empty state.
type FailedData struct {
	Package string `json:"package"`
	Version int    `json:"version"`
	Reason  string `json:"reason"`
	Again   bool   `json:"again"`
}

// UndefinedData names what is gone.
type UndefinedData struct {
	Package string `json:"package"`
	By      string `json:"by"`
}
