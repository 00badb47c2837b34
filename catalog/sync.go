package catalog

import (
	"context"
	"database/sql"
	"errors"

	"fairlead/session"
)

// CatchUp brings the catalog up to date with the logs on disk: sessions that other
// processes wrote, that were copied here, or that are gone.
func (c *Catalog) CatchUp(ctx context.Context) error {
	return c.with(ctx, func(db *sql.DB) error { return c.catchUp(ctx, db) })
}

func (c *Catalog) catchUp(ctx context.Context, db *sql.DB) error {
	c.syncing.Lock()
	defer c.syncing.Unlock()
	have, err := c.marks(ctx, db)
	if err != nil {
		return err
	}
	list, err := c.opt.Library.List(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		mark, known := have[s.ID]
		delete(have, s.ID)
		if known && mark.bytes == s.Bytes && mark.problem == s.Problem {
			continue
		}
		if err := c.read(ctx, db, s); err != nil {
			return err
		}
	}
	for gone := range have {
		if err := inTx(ctx, db, func(tx *sql.Tx) error { return erase(ctx, tx, gone) }); err != nil {
			return err
		}
	}
	return nil
}

// Reread forgets what is known of a session and reads it anew: its log was written
// anew, by a repair.
func (c *Catalog) Reread(ctx context.Context, id session.ID) error {
	return c.with(ctx, func(db *sql.DB) error {
		if err := inTx(ctx, db, func(tx *sql.Tx) error { return erase(ctx, tx, id) }); err != nil {
			return err
		}
		return c.catchUp(ctx, db)
	})
}

// mark is how far a session has been read.
type mark struct {
	seq     int64
	hash    string
	bytes   int64
	problem string
}

func (c *Catalog) marks(ctx context.Context, db *sql.DB) (map[session.ID]mark, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, seq, hash, bytes, problem FROM session")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	have := map[session.ID]mark{}
	for rows.Next() {
		var id session.ID
		var m mark
		if err := rows.Scan(&id, &m.seq, &m.hash, &m.bytes, &m.problem); err != nil {
			return nil, err
		}
		have[id] = m
	}
	return have, rows.Err()
}

// Mark gives the last event of a session that the catalog has read, with its hash:
// one of the copies by which a log that lost its end is noticed.
func (c *Catalog) Mark(ctx context.Context, id session.ID) (seq int64, hash string, found bool, err error) {
	err = c.with(ctx, func(db *sql.DB) error {
		e := db.QueryRowContext(ctx, "SELECT seq, hash FROM session WHERE id = ?", id).Scan(&seq, &hash)
		found = e == nil
		if errors.Is(e, sql.ErrNoRows) {
			return nil
		}
		return e
	})
	return seq, hash, found, err
}

// read indexes what is new in one session of the list.
func (c *Catalog) read(ctx context.Context, db *sql.DB, s session.Summary) error {
	log, err := c.opt.Library.Read(ctx, s.ID)
	if err != nil {
		return inTx(ctx, db, func(tx *sql.Tx) error { // listed with its problem, found by what was read before
			from, err := markOf(ctx, tx, s.ID)
			if err != nil {
				return err
			}
			w := &writer{ctx: ctx, tx: tx, id: s.ID, meta: s.MetaState, seq: from.seq, hash: from.hash}
			return w.finish(s.Bytes, s.Problem)
		})
	}
	defer log.Close(ctx)
	_, err = c.index(ctx, db, log, s.Bytes)
	return err
}

// index reads what the catalog lacks of a session, all of it where the log is not the
// one that was read before, and gives the number of the last event it read.
func (c *Catalog) index(ctx context.Context, db *sql.DB, log *session.Log, bytes int64) (seq int64, err error) {
	meta, err := session.StateOf(log, session.Meta)
	if err != nil {
		return 0, err
	}
	err = inTx(ctx, db, func(tx *sql.Tx) error {
		from, err := markOf(ctx, tx, log.ID())
		if err != nil {
			return err
		}
		w := &writer{ctx: ctx, tx: tx, id: log.ID(), meta: meta, seq: from.seq, hash: from.hash}
		if from.seq > 0 && !continues(ctx, log, from) {
			if err := erase(ctx, tx, w.id); err != nil {
				return err
			}
			w.seq, w.hash = 0, ""
		}
		if line := log.Header().Lineage; w.seq == 0 && len(line) > 0 {
			w.seq = line[len(line)-1].Seq // a fork's shared history is found in its parent
		}
		for e, err := range log.Events(w.seq + 1) {
			if err != nil {
				c.opt.Log.Warn("an event cannot be read and is not in the catalog", "session", w.id, "error", err)
				break
			}
			if err := w.event(e); err != nil {
				return err
			}
		}
		seq = w.seq
		return w.finish(bytes, "")
	})
	return seq, err
}

// markOf gives how far a session has been read, the zero mark where it was not.
func markOf(ctx context.Context, tx *sql.Tx, id session.ID) (m mark, err error) {
	err = tx.QueryRowContext(ctx, "SELECT seq, hash FROM session WHERE id = ?", id).Scan(&m.seq, &m.hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return m, err
}

// continues reports whether a log still holds the event that was read last.
func continues(ctx context.Context, log *session.Log, from mark) bool {
	e, err := log.Event(ctx, from.seq)
	return err == nil && e.Hash == from.hash
}

// Follow keeps the catalog up to date with one session while ctx lasts: it reads
// what the catalog lacks, then every event as it happens.
func (c *Catalog) Follow(ctx context.Context, log *session.Log) error {
	return c.with(ctx, func(db *sql.DB) error {
		seq, err := c.index(ctx, db, log, 0)
		if err != nil {
			return err
		}
		for frame, err := range log.Watch(ctx, seq) {
			if err != nil {
				return err
			}
			if frame.Event == nil || !matters(*frame.Event) {
				continue
			}
			if err := c.follow(ctx, db, log, *frame.Event); err != nil {
				return err
			}
		}
		return nil
	})
}

// matters reports whether an event changes a list or what can be found.
func matters(e session.Event) bool {
	switch e.Type {
	case session.UserMessage.Name, session.AssistantMessage.Name, session.ToolCall.Name, session.TurnStart.Name, session.TurnEnd.Name,
		session.RequestAttempt.Name, summarised, session.Titled.Name, session.Archived.Name, session.Created.Name, session.Forked.Name:
		return true
	}
	return false
}

func (c *Catalog) follow(ctx context.Context, db *sql.DB, log *session.Log, e session.Event) error {
	meta, err := session.StateOf(log, session.Meta)
	if err != nil {
		return err
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		from, err := markOf(ctx, tx, log.ID())
		if err != nil || e.Seq <= from.seq {
			return err // a catching-up was faster
		}
		w := &writer{ctx: ctx, tx: tx, id: log.ID(), meta: meta}
		if err := w.event(e); err != nil {
			return err
		}
		return w.finish(0, "") // 0: the size is compared again when the session is closed
	})
}

func inTx(ctx context.Context, db *sql.DB, work func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}
