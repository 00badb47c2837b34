package script

import (
	"fmt"
	"strings"

	"fairlead/fault"
)

// Codes of the errors that end code.
const (
	CodeSyntax   = "PROGRAM_SYNTAX"   // it cannot be read
	CodeThrew    = "PROGRAM_ERROR"    // it threw and nobody caught
	CodeDeadline = "PROGRAM_TIMEOUT"  // Budget.Wall
	CodeFuel     = "PROGRAM_BUSY"     // Budget.Fuel
	CodeMemory   = "PROGRAM_MEMORY"   // Budget.Memory
	CodeOutput   = "PROGRAM_OUTPUT"   // Budget.Output
	CodeDepth    = "PROGRAM_DEPTH"    // the engine's native stack
	CodeStalled  = "PROGRAM_STALLED"  // it waits for what nothing can settle
	CodeStopped  = "PROGRAM_STOPPED"  // the caller ended it
	CodeBroken   = "PROGRAM_BROKEN"   // the instance is gone
	CodeNoEngine = "PROGRAM_NO_START" // the engine does not start here
)

// failure makes an error with one of the codes; the text is for model and person.
func failure(code, format string, args ...any) *fault.Error {
	kind := fault.Invalid
	switch code {
	case CodeDeadline, CodeFuel, CodeMemory, CodeOutput, CodeDepth:
		kind = fault.TooLarge
	case CodeStopped:
		kind = fault.Cancelled
	case CodeBroken, CodeNoEngine:
		kind = fault.Unavailable
	}
	return fault.New(kind, "script.run", format, args...).WithCode(code)
}

// passed says which bound was passed.
func (b Budget) passed(code string) *fault.Error {
	switch code {
	case CodeDeadline:
		return failure(code, "The program took longer than %s and was ended.", b.Wall)
	case CodeFuel:
		return failure(code, "The program computed for too long without an end and was ended: a loop or an expression in it does not stop, or there is too much work for one program.")
	case CodeMemory:
		return failure(code, "The program needed more than %d MB of memory and was ended.", b.Memory>>20)
	case CodeOutput:
		return failure(code, "The program printed and returned more than %d bytes and was ended. Return less: a part, a count, a summary.", b.Output)
	case CodeDepth:
		return failure(code, "The program called itself too deep and was ended.")
	case CodeStopped:
		return failure(code, "The program was stopped.")
	}
	return failure(CodeBroken, "The program broke its sandbox and was ended.")
}

// Thrown is an error that crosses between code and host: one that a host function
// rejects with, or one that code threw.
type Thrown struct {
	// Name is the error's class, Message its text.
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
	// Code and Tool are set on errors of host functions.
	Code string `json:"code,omitempty"`
	Tool string `json:"tool,omitempty"`
	// Stack are its places, one a line, in the lines of the source as it came.
	Stack string `json:"stack,omitempty"`
}

// Error prints it as a program would show it.
func (t *Thrown) Error() string {
	text := t.Message
	if t.Name != "" {
		text = strings.TrimSuffix(t.Name+": "+t.Message, ": ")
	}
	if t.Stack != "" {
		text += "\n" + strings.TrimRight(t.Stack, "\n")
	}
	return text
}

// uncaught is the error of code that threw.
func (t *Thrown) uncaught() error {
	return fault.Wrap(fault.Invalid, "script.run", t, "The program ended with an error. %s", t.Error()).WithCode(CodeThrew)
}

// trap is an end of the machine itself: nothing in it can be used any more.
type trap struct{ err error }

func (t trap) Error() string { return fmt.Sprintf("script: the engine trapped: %v", t.err) }
