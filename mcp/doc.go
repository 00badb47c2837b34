// Package mcp connects Fairlead to servers of the Model Context Protocol, and
// offers Fairlead's own sessions as such a server.
//
// It promises that a server which is dead, slow, lying or flooding hurts its own
// calls only: nothing is started before a call needs it, every wait has a limit, and
// the start of the product and turns that do not use it never wait. What a person
// approved is kept by digest: the way a server is started or reached, and each tool
// with its name, description and arguments. What differs from that is not run until
// a person approved it again. Tools are rare ones (tool_help, tool_use), so the list
// of tools in requests stays the same whatever servers do; the model is told of them
// by a message when a turn begins. A tool of a server is judged like any unknown one:
// what the server says of itself counts for nothing.
//
// The person's own tools stand beside those of servers: instructions, which give a text,
// and commands, which are approved by digest like a server and confined to what their
// settings say in every mode.
//
// It owns the settings of servers, the record of what was approved, the names and
// texts under which a model sees foreign tools, and connections. Children are
// started by the sandbox alone.
//
// Read settings.go, trust.go (what was approved), offer.go and names.go (what a model
// sees), wire.go (talking to a child or an address), server.go and link.go (one
// connection and its failures), tool.go, content.go and elicit.go (a call, what it
// gives, what it asks), progress.go, resources.go, servers.go with state.go and edit.go
// (all of them, approving), own.go and
// owntool.go, told.go, signin.go, plugin.go; then serve.go, the other
// direction.
package mcp
