package server

import (
	"net/http"
	"strings"
)

// route is one thing the API does. Exactly one of answer and stream is set.
type route struct {
	pattern string // method and path, as [http.ServeMux] reads it
	doc     string
	// open needs no token: the exchange of one.
	open bool
	// body bounds the request's body in bytes; 0 allows none.
	body int64
	// raw is a body that is not JSON.
	raw bool
	// answer gives the value to send as JSON; stream writes by itself.
	answer func(*call) (any, error)
	stream func(http.ResponseWriter, *call) error
}

const (
	smallBody = 64 << 10
	textBody  = 4 << 20
	fileBody  = 32 << 20
)

// routes is everything the API serves.
func (s *Server) routes() []route {
	const session = "/api/v1/sessions/{id}"
	return []route{
		{pattern: "POST /api/v1/login", doc: "exchanges a start token for a device token", open: true, body: smallBody, answer: s.login},
		{pattern: "GET /api/v1/status", doc: "version, components, running turns, waiting approvals", answer: s.status},

		{pattern: "GET /api/v1/sessions", doc: "lists sessions (folder, state, query, archived, limit, cursor)", answer: s.listSessions},
		{pattern: "POST /api/v1/sessions", doc: "creates a session", body: smallBody, answer: s.createSession},
		{pattern: "GET " + session, doc: "a snapshot: projections, waiting approvals, the last event", answer: s.readSession},
		{pattern: "PATCH " + session, doc: "renames, archives or pins", body: smallBody, answer: s.changeSession},
		{pattern: "DELETE " + session, doc: "deletes a session with everything it owns", answer: s.deleteSession},

		{pattern: "POST /api/v1/import", doc: "brings a session in: our own zip, or one of another product", body: fileBody, raw: true, answer: s.importSession},

		{pattern: "GET " + session + "/export", doc: "a session as a file (as: zip, md, html, json)", stream: s.exportSession},
		{pattern: "GET " + session + "/verify", doc: "proves that a session is as it was written", answer: s.proof("session.verify")},
		{pattern: "POST " + session + "/repair", doc: "makes a damaged session valid again, and keeps the damaged log", body: smallBody, answer: s.proof("session.repair")},
		{pattern: "POST " + session + "/replay", doc: "runs a session again on its recorded replies and results", body: smallBody, answer: s.proof("session.replay")},
		{pattern: "GET " + session + "/requests/{n}", doc: "the exact bytes of the nth request, or of that for the title", answer: s.proof("session.request")},
		{pattern: "POST " + session + "/fork", doc: "begins a session that goes on from an event of this one", body: smallBody, answer: s.forkSession},
		{pattern: "POST " + session + "/messages", doc: "says something to the agent; answers once it is durable", body: textBody, answer: s.postMessage},
		{pattern: "POST " + session + "/turns", doc: "says something and follows the turn as NDJSON frames", body: textBody, stream: s.postTurn},
		{pattern: "POST " + session + "/stop", doc: "stops the running turn; answers once its end is durable", body: smallBody, answer: s.stopTurn},
		{pattern: "POST " + session + "/undo", doc: "takes back what a turn changed in files (turn, files), or with redo brings it back", body: smallBody, answer: s.undo},
		{pattern: "GET " + session + "/events", doc: "the log: as server-sent events from `since`, or older ones as JSON", stream: s.events},
		{pattern: "POST " + session + "/blobs", doc: "keeps an attachment", body: fileBody, raw: true, answer: s.postBlob},
		{pattern: "GET " + session + "/blobs/{sha256}", doc: "gives an attachment or a whole result back", stream: s.readBlob},
		{pattern: "POST " + session + "/commands", doc: "uses a command of the session", body: textBody, answer: s.postCommand},
		{pattern: "GET " + session + "/commands", doc: "lists the commands of the session", answer: s.listCommands},
		{pattern: "GET " + session + "/views/{name}", doc: "a view of the session, as JSON or watched as server-sent events", stream: s.readView},

		{pattern: "GET /api/v1/approvals", doc: "the questions that wait (session)", answer: s.listApprovals},
		{pattern: "POST /api/v1/approvals/{call}", doc: "answers a question", body: smallBody, answer: s.answerApproval},

		{pattern: "GET /api/v1/picture", doc: "a remote picture that the person asked to see (url)", stream: s.readPicture},

		{pattern: "GET /api/v1/search", doc: "finds what was said in any session (q, archived, session, limit)", stream: s.search},
		{pattern: "GET /api/v1/settings", doc: "the settings by section, with their revision", answer: s.readSettings},
		{pattern: "PATCH /api/v1/settings", doc: "changes settings of a revision; 409 where it is not the present one", body: textBody, answer: s.changeSettings},

		{pattern: "POST /api/v1/commands", doc: "uses a command of the host", body: textBody, answer: s.postCommand},
		{pattern: "GET /api/v1/commands", doc: "lists the commands of the host", answer: s.listCommands},
		{pattern: "GET /api/v1/views", doc: "lists the views", answer: s.listViews},
		{pattern: "GET /api/v1/views/{name}", doc: "a view of the host, as JSON or watched as server-sent events", stream: s.readView},
		{pattern: "GET /api/v1/openapi.json", doc: "describes all of this", answer: s.openapi},
	}
}

// openapi describes the routes (OpenAPI 3.1), made from the same table that serves them.
func (s *Server) openapi(*call) (any, error) {
	paths := map[string]map[string]any{}
	for _, r := range s.routes() {
		method, path, _ := strings.Cut(r.pattern, " ")
		operation := map[string]any{"summary": r.doc, "responses": map[string]any{"default": map[string]any{"description": "the answer, or {error: {kind, message, details?, code?}}"}}}
		if r.open {
			operation["security"] = []any{}
		}
		var params []any
		for part := range strings.SplitSeq(path, "/") {
			if name, ok := strings.CutPrefix(part, "{"); ok {
				params = append(params, map[string]any{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
			}
		}
		if params != nil {
			operation["parameters"] = params
		}
		if r.body > 0 {
			kind := "application/json"
			if r.raw {
				kind = "application/octet-stream"
			}
			operation["requestBody"] = map[string]any{"content": map[string]any{kind: map[string]any{}}}
		}
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(method)] = operation
	}
	return map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": "Fairlead", "version": s.options.Version}, "paths": paths,
		"components": map[string]any{"securitySchemes": map[string]any{"device": map[string]any{"type": "http", "scheme": "bearer"}}},
		"security":   []any{map[string]any{"device": []any{}}},
	}, nil
}
