// Package server is the front door for the page and for programs: the HTTP API,
// its event streams, the tokens of devices, and the page's own files.
//
// It promises that nothing but the page's shell is given to somebody without a
// token; that a page of another origin, a rebound name and a form post are turned
// away before anything is read; that a viewer who comes back with the id of the
// last event it saw gets every event after it once; and that a handler holds no
// rule of its own: it checks shape, calls the room that knows, and answers. Slices
// need no handler here: their commands, views and projections are served by name.
//
// It refuses to know any slice but permission, whose questions people answer here.
//
// Read routes.go (everything that is served), guard.go (who is let in), device.go
// (tokens), call.go (a request that was let in), server.go (its life), events.go
// and sse.go (streams), turn.go and turnframes.go (a turn as frames), and the small
// files of one noun each.
package server
