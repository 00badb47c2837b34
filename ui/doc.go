// Package ui is the page: its TypeScript sources (src), the code of others they
// are bundled with (vendor, pinned by LOCK), and the built bytes (dist) that the
// binary carries.
//
// It promises that dist is what tools/webbuild makes of src (a test there says so),
// that the page needs nothing but 'self' under [Policy], and that no file of it
// holds content: everything a person sees of a session comes over the API. It
// refuses to know how it is served.
//
// The sources, in reading order:
//
//	src/wire.gen.ts   what travels, generated from the Go types
//	src/fold.ts       log events and live pieces → transcript items; no DOM
//	src/rows.ts       items → rows: groups, folded turns
//	src/stream.ts     the event stream: cursor, heartbeat, reconnecting
//	src/state/        signals: sessions, the open session, drafts, choices
//	src/md/           Markdown; the only place that makes HTML
//	src/parts/        buttons, menus, dialogs, icons
//	src/chat/         transcript, cards, composer
//	src/graph/        the parts of the process and where each stands in their drawing; no DOM
//	src/pages/        graph, events of a session, settings, gallery; loaded when opened
//
// Read embed.go for the Go side.
package ui
