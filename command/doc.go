// Package command is the registry of what people can do and see: verbs (slash
// commands, buttons, command-line verbs) and views (states of the whole process
// or of one session).
//
// It promises that a verb or a state is declared once and serves the page, an
// editor and the command line alike; that a front door needs no code for a new
// one; and that both leave with the plugin that registered them. It refuses to
// know what they do.
//
// Read command.go (what they are) and registry.go (where they are found).
package command
