// Package toolbox holds the standard tools: files (read, write, edit, glob, grep,
// list), the list of steps (todo), questions and plans for the person, shells,
// background jobs and terminals.
//
// It promises for files that an edit leaves every byte outside it as it was,
// whatever the encoding and the line ends; that what was not read, or changed since,
// is not overwritten; that a file is whole at every moment; that what is opened is
// exactly what was judged, links swapped in between or not; and that no answer
// states a range or a count that it does not hold. Anything cut says so and says
// how to read on.
//
// It owns the tools and what they know of encodings and ignore files. It refuses to
// know modes, rules and approvals: each tool says what a call would touch, whether
// it only looks and what a card must show, and policy decides.
//
// For files read observe.go (what the model has seen), revision.go (a change from
// plan to log), match.go and patch.go, then one file a tool with its text for the
// model beside it (read.go, read.md). How a file is reached and what its bytes say is
// in tool/file.
// walk.go, ignore.go and search.go are below glob, grep and list. consult.go is what
// askuser.go and plan.go wait in.
package toolbox
