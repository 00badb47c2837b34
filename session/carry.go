package session

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"fairlead/fault"
)

// Names of the pieces of a carried record. Content that stands beside the log is
// called PieceBlobs with its SHA-256 behind it.
const (
	PieceLog    = "log.jsonl"
	PieceShared = "shared.jsonl"
	PieceBlobs  = "blobs/"
)

// Carry hands out a session's record for taking it elsewhere, piece by piece: its
// log byte for byte, the history a fork shares with its parent, and everything that
// they name. What is missing already is left out; [Library.Verify] tells.
func (lib *Library) Carry(ctx context.Context, id ID, put func(piece string, r io.Reader) error) error {
	l, err := lib.Read(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(l.carry(ctx, put), l.Close(ctx))
}

func (l *Log) carry(ctx context.Context, put func(string, io.Reader) error) error {
	if err := l.Flush(ctx); err != nil {
		return err
	}
	own := l.src.segments[l.src.own()]
	size, err := own.r.Size()
	if err != nil {
		return err
	}
	if err := put(PieceLog, io.NewSectionReader(own.r, 0, size)); err != nil {
		return err
	}
	var shared []io.Reader
	for _, g := range l.src.segments[:l.src.own()] {
		shared = append(shared, io.NewSectionReader(g.r, 0, g.end))
	}
	if len(shared) > 0 {
		if err := put(PieceShared, io.MultiReader(shared...)); err != nil {
			return err
		}
	}
	return l.carryBlobs(ctx, put)
}

func (l *Log) carryBlobs(ctx context.Context, put func(string, io.Reader) error) error {
	done := map[string]bool{}
	written := &source{segments: l.src.segments} // not as it is read now
	for f, err := range written.walk(&place{}, l.end()) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, name := range contents(f.Event) {
			if done[name] {
				continue
			}
			done[name] = true
			b, err := l.src.blob(name)
			if fault.Is(err, fault.NotFound) {
				continue // a digest of something else, or lost already
			}
			if err != nil {
				return err
			}
			if err := put(PieceBlobs+name, strings.NewReader(string(b))); err != nil {
				return err
			}
		}
	}
	return nil
}

// Adopt makes a session of a carried record under its own id, event for event and
// hash for hash. pieces yields what Carry handed out, the log first. A record that
// does not prove itself is refused with the first thing that is wrong, and nothing of
// it stays; a session that exists already is a Conflict.
func (lib *Library) Adopt(ctx context.Context, id ID, pieces func(yield func(piece string, r io.Reader) error) error) (err error) {
	if err := valid(id); err != nil {
		return err
	}
	w, err := lib.opt.Store.Create(ctx, id)
	if err != nil {
		return err
	}
	err = pieces(func(piece string, r io.Reader) error { return adoptPiece(w, piece, r) })
	if err == nil {
		err = w.Sync(ctx)
	}
	if err = errors.Join(err, w.Close()); err == nil {
		err = lib.proven(ctx, id)
	}
	if err != nil {
		return errors.Join(err, lib.opt.Store.Delete(ctx, id))
	}
	return nil
}

func (lib *Library) proven(ctx context.Context, id ID) error {
	report, err := lib.Verify(ctx, id)
	if err != nil {
		return err
	}
	if !report.Valid() {
		return fault.New(fault.Invalid, "session.adopt", "The session is not as it was written: %s Nothing was imported.", report.Problems[0].Text)
	}
	return nil
}

func adoptPiece(w Writer, piece string, r io.Reader) error {
	switch {
	case piece == PieceLog:
		return adoptLines(w, r)
	case piece == PieceShared:
		return w.PutPart(PartShared, r)
	case strings.HasPrefix(piece, PieceBlobs):
		content, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		if name := hex.EncodeToString(sum[:]); name != strings.TrimPrefix(piece, PieceBlobs) {
			return fault.New(fault.Invalid, "session.adopt", "The content %s is not what its name says. Nothing was imported.", piece)
		}
		return w.PutBlob(strings.TrimPrefix(piece, PieceBlobs), content)
	}
	return nil // a piece that a later version added
}

// adoptLines copies whole lines; an end without a line break was never confirmed.
func adoptLines(w Writer, r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<20)
	var batch []byte
	for {
		line, err := in.ReadSlice('\n')
		batch = append(batch, line...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		whole := err == nil
		if whole && len(batch) < 1<<20 {
			continue
		}
		if i := strings.LastIndexByte(string(batch), '\n'); i >= 0 {
			if err := w.Append(batch[:i+1]); err != nil {
				return err
			}
		}
		if !whole {
			return nil
		}
		batch = batch[:0]
	}
}
