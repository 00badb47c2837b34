package session

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"
)

// Store keeps the bytes of sessions: for each one a log that only grows, blobs
// beside it, and one checkpoint. What the bytes mean is decided in this room.
//
// Failures are faults: NotFound where there is no such session, Conflict where
// another holder writes it (code [CodeHeld]) or the caller's own lease has passed
// to another (code [CodeLeaseLost]), Unavailable where the machine fails (codes
// [CodeDiskFull] and [CodeDiskError]).
type Store interface {
	// Create makes an empty record and holds it for writing; Conflict where it exists.
	Create(ctx context.Context, id ID) (Writer, error)
	// Acquire holds a record for writing. The lock of a dead holder is taken over.
	Acquire(ctx context.Context, id ID) (Writer, error)
	// Read opens a record for looking; it changes nothing and needs no lock.
	Read(ctx context.Context, id ID) (Reader, error)
	// List names what there is, in no particular order.
	List(ctx context.Context) ([]Stored, error)
	// Delete removes a record with its blobs; Conflict where it is held.
	Delete(ctx context.Context, id ID) error
}

// Stored is what a store knows of a record without reading it.
type Stored struct {
	ID ID
	// Bytes is the size of the log.
	Bytes int64
	// Changed is when the log was last written.
	Changed time.Time
}

// Reader reads one record. ReadAt and Size are about the log.
type Reader interface {
	io.ReaderAt
	Size() (int64, error)
	// Blob gives the content with this SHA-256; NotFound where it is missing, with
	// code [CodeBlobChanged] where it is there but is not what it was.
	Blob(sha256 string) ([]byte, error)
	// Part opens something that stands beside the log; nil where there is none.
	Part(name PartName) (Part, error)
	Close() error
}

// PartName names what may stand beside a log.
type PartName string

// The parts.
const (
	PartCheckpoint PartName = "checkpoint.json"
	// PartShared is the history a fork shared with a session that was deleted since.
	PartShared PartName = "shared.jsonl"
)

// keptPart names a checkpoint that is kept for looking back, made between so many
// and one more MiB of the log.
func keptPart(mib int64) PartName {
	return PartName("checkpoint-" + strconv.FormatInt(mib, 10) + ".json")
}

// Valid reports whether there can be a part of this name.
func (n PartName) Valid() bool {
	if n == PartCheckpoint || n == PartShared {
		return true
	}
	mib, ok := strings.CutPrefix(strings.TrimSuffix(string(n), ".json"), "checkpoint-")
	i, err := strconv.ParseInt(mib, 10, 64)
	return ok && err == nil && i > 0 && n == keptPart(i)
}

// Part is an open part.
type Part interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Writer is a lease on one record. A writer that has lost its lease refuses with
// Conflict before it touches anything. Its methods may be called by several
// goroutines. Close flushes nothing; call Sync before it.
type Writer interface {
	Reader
	// Append adds whole lines. They are readable at once and on disk after Sync. A
	// failed Append has added nothing.
	Append(lines []byte) error
	// WriteOut gives everything appended to the system, so that it outlives this
	// process. It does not wait for the disk, and is cheap where nothing is new.
	WriteOut() error
	// Sync returns when everything appended and put so far is on disk. It may be
	// tried again after a failure: nothing appended is forgotten.
	Sync(ctx context.Context) error
	// PutBlob keeps content under its SHA-256; a second time is cheap.
	PutBlob(sha256 string, content []byte) error
	// PutPart replaces a part at once: readers see the old one or the new one.
	PutPart(name PartName, content io.Reader) error
	// Replace puts instead in place of the log's bytes from an offset on. The bytes
	// that were there are kept beside the log under the name keep; Conflict where
	// that name is taken; an empty keep drops them. A failed Replace has changed
	// nothing. Instead must not read from this writer.
	Replace(ctx context.Context, from int64, instead io.Reader, keep string) error
}

// Codes of the faults a store gives.
const (
	CodeHeld      = "session-held"
	CodeLeaseLost = "lease-lost"
	CodeDiskFull  = "disk-full"
	CodeDiskError = "disk-error"
	// CodeClosed is on a write to a session that was closed in this process.
	CodeClosed = "session-closed"
	// CodeBlobChanged is on content that no longer has its SHA-256.
	CodeBlobChanged = "blob-changed"
)
