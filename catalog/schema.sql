CREATE TABLE session (
	id       TEXT PRIMARY KEY,
	seq      INTEGER NOT NULL, -- the last event that was read, and its hash
	hash     TEXT    NOT NULL,
	bytes    INTEGER NOT NULL, -- of the log when it was read
	meta     TEXT    NOT NULL, -- session.MetaState as JSON
	at       INTEGER NOT NULL,
	archived INTEGER NOT NULL,
	problem  TEXT    NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX session_at ON session (at DESC);

CREATE TABLE said (
	id      INTEGER PRIMARY KEY,
	session TEXT    NOT NULL,
	seq     INTEGER NOT NULL, -- 0 for the title
	who     TEXT    NOT NULL, -- person, model, tool, title
	at      INTEGER NOT NULL,
	text    TEXT    NOT NULL,
	UNIQUE (session, seq)
);
CREATE VIRTUAL TABLE words USING fts5 (text, title, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');

CREATE TABLE used (
	day       TEXT    NOT NULL, -- YYYY-MM-DD in the zone of the machine
	session   TEXT    NOT NULL,
	model     TEXT    NOT NULL,
	requests  INTEGER NOT NULL,
	-- tokens; NULL is unknown
	input     INTEGER,
	cached    INTEGER,
	output    INTEGER,
	reasoning INTEGER,
	cost      INTEGER, -- billionths of a US dollar; NULL is unknown
	unpriced  INTEGER NOT NULL, -- of the requests, those whose cost is unknown
	PRIMARY KEY (day, session, model)
) WITHOUT ROWID;
