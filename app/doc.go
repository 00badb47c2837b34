// Package app is the composition root: it knows every room by name so that no
// other room has to.
//
// It promises that a process is what its profile's rows say; that an enabled row
// which cannot become active fails the start and says which service it waits for
// and who could provide it; that nothing slow happens before the first request;
// and that shutting down ends turns durably within five seconds and leaves no
// child, lock or file behind.
//
// It owns the table of plugins, the tables of event kinds and projections, the
// boot of a profile, the start-up audit, the home folder, the connections that
// come from the environment, and shutting down. It refuses to know flags and
// printing, which are cmd's, and what any plugin does.
//
// Read app.go (boot to shutdown), table.go (what there is), connection.go.
package app
