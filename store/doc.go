// Package store keeps sessions as files, one folder for each:
//
//	<id>/log.jsonl        lines that are only ever added
//	<id>/blobs/<sha256>   large payloads, pictures, prompts
//	<id>/checkpoint.json  what opening goes on from; may be deleted at any time
//	<id>/lock             who writes, held with flock
//
// It promises that what Sync confirmed is on disk, that a failing disk loses
// nothing that was confirmed and works again once it has room, that one process
// writes a session at a time and a stale one is refused before it touches
// anything, that reading changes nothing, and that folders are 0700 and files
// 0600 from their first moment. Sessions that wait for the disk at the same time
// wait together.
//
// It refuses to know what the bytes mean: lines, hashes and damage belong to
// package session. It follows no symbolic link and uses no name that is not a
// session's id.
//
// Read files.go (the store), writer.go (the lease), commit.go (waiting for the
// disk), lock.go (one writer), side.go (blobs and checkpoint).
package store
