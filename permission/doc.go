// Package permission is the gate between what a model wants and what happens.
//
// It promises that a turn runs in a mode that was written and read back before it
// started; that in Manual nothing that could change something runs before a
// person said yes to exactly that; that Plan changes nothing and Bypass ends with
// the process; that where nobody can answer the answer is no; and that every call
// leaves a decision row, also when nobody was asked. It owns the modes, the
// questions that wait for a person, the standing rules, the list of protected
// paths and the confinement that each mode gives to children.
//
// It refuses to read anything a model can write as a reason to allow: it looks at
// what a tool's own code says of a call, at resolved paths and at a command's
// grammar. It knows no single tool and no front door.
//
// Read judge.go (the whole policy as one table), mode.go and gate.go (how a turn
// gets its mode, what is looked at in a call), payload.go (what a yes is bound to),
// question.go and service.go (asking and answering), waiting.go, rules.go with
// programs.go and rulefile.go (standing permissions), lookonly.go, plugin.go.
package permission
