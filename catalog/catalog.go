package catalog

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"fairlead/fault"
	"fairlead/session"
)

//go:embed schema.sql
var schema string

// version of the schema and of what index.go keeps. A catalog of another version is
// made again.
const version = 3

// Options make a [Catalog].
type Options struct {
	// Path of the SQLite file; it is made when first needed.
	Path string
	// Library is read from.
	Library *session.Library
	// Log gets what no caller can be told; nil discards it.
	Log *slog.Logger
}

// Catalog is the derived index over all sessions. Its methods may be called by
// several goroutines; the file is opened by the first that needs it.
type Catalog struct {
	opt Options

	mu sync.Mutex
	db *sql.DB

	syncing sync.Mutex // one catching-up at a time
}

// New makes a catalog. It touches nothing.
func New(opt Options) *Catalog {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Catalog{opt: opt}
}

// Close lets go of the file.
func (c *Catalog) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		return nil
	}
	err := c.db.Close()
	c.db = nil
	return err
}

// open gives the database, opened and of this version.
func (c *Catalog) open(ctx context.Context) (*sql.DB, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db != nil {
		return c.db, nil
	}
	db, err := openFile(ctx, c.opt.Path)
	if damaged(err) {
		c.opt.Log.Warn("the catalog cannot be read and is made again", "error", err)
		if err := removeFile(c.opt.Path); err != nil {
			return nil, unusable(err)
		}
		db, err = openFile(ctx, c.opt.Path)
	}
	if err != nil {
		return nil, unusable(err)
	}
	c.db = db
	return db, nil
}

// discard closes and removes a catalog that turned out to be damaged while in use.
func (c *Catalog) discard(reason error) error {
	c.opt.Log.Warn("the catalog is damaged and is made again", "error", reason)
	return errors.Join(c.Close(), removeFile(c.opt.Path))
}

func unusable(err error) error {
	return fault.Wrap(fault.Unavailable, "catalog.open", err, "The list of sessions cannot be opened. The sessions themselves are not affected. Check that the home folder can be written")
}

func openFile(ctx context.Context, path string) (*sql.DB, error) {
	// The file is made private before SQLite sees it; its side files take its mode.
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// prepare makes the tables, again where they are of another version.
func prepare(ctx context.Context, db *sql.DB) error {
	var have int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have == version {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Another process may have made them while this one waited for the lock.
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have == version {
		return nil
	}
	for _, table := range []string{"session", "said", "words", "used"} {
		if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS "+table); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return err
	}
	return tx.Commit()
}

// damaged reports whether SQLite says that the file is no database or a broken one.
func damaged(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		code := e.Code() & 0xff
		return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
	}
	return false
}

func removeFile(path string) error {
	var errs []error
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// with runs work on the database. A catalog that turns out to be damaged is made
// again from the logs, and the work is done once more.
func (c *Catalog) with(ctx context.Context, work func(*sql.DB) error) error {
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	err = work(db)
	if !damaged(err) {
		return err
	}
	if err := c.discard(err); err != nil {
		return unusable(err)
	}
	if db, err = c.open(ctx); err != nil {
		return err
	}
	if err := c.catchUp(ctx, db); err != nil {
		return err
	}
	return work(db)
}
