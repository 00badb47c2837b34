// Package settings keeps what the person decided: one document, and the keys of
// model providers beside it, never in it.
//
// It promises that two writers cannot overwrite each other silently (a write names
// the revision it was made for, which is a hash of the file's bytes, so editors count
// as writers too); that a crash or a full disk at any byte leaves the old document or
// the new one; that a write changes the lines it is about and nothing else, so that
// comments and keys of other versions survive; that a document with a mistake is
// never reset; and that a secret is never part of it.
//
// It owns settings.yaml, credentials.json, the keyring entries, and the redactor of
// known keys. It refuses to know what the settings mean: rooms declare their sections
// as package variables and read them typed.
//
// Read section.go, document.go, edit.go (how a line is changed); credential.go and
// redact.go stand by themselves.
package settings
