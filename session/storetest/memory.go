package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/session"
)

// Memory is a store that lives in memory. The zero value is ready.
type Memory struct {
	mu      sync.Mutex
	records map[session.ID]*record
}

// record is one session. The store's lock guards it.
type record struct {
	log     []byte
	blobs   map[string][]byte
	parts   map[session.PartName][]byte
	kept    map[string][]byte
	changed time.Time
	holder  *handle
}

var _ session.Store = (*Memory)(nil)

// Put makes a record, or exchanges the bytes of one and drops its parts, as damage
// would.
func (m *Memory) Put(id session.ID, log []byte, parts map[session.PartName][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[id]
	if r == nil {
		r = m.add(id)
	}
	r.log, r.parts, r.kept = slices.Clone(log), maps.Clone(parts), map[string][]byte{}
	if r.parts == nil {
		r.parts = map[session.PartName][]byte{}
	}
}

// PutBlob adds content to a record.
func (m *Memory) PutBlob(id session.ID, content []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := sha256.Sum256(content)
	m.records[id].blobs[hex.EncodeToString(sum[:])] = slices.Clone(content)
}

func (m *Memory) add(id session.ID) *record {
	if m.records == nil {
		m.records = map[session.ID]*record{}
	}
	r := &record{blobs: map[string][]byte{}, parts: map[session.PartName][]byte{}, kept: map[string][]byte{}, changed: time.Now()}
	m.records[id] = r
	return r
}

func (m *Memory) find(id session.ID) (*record, error) {
	if r := m.records[id]; r != nil {
		return r, nil
	}
	return nil, fault.New(fault.NotFound, "memory.open", "There is no session %s.", id)
}

// Create makes an empty record.
func (m *Memory) Create(_ context.Context, id session.ID) (session.Writer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[id] != nil {
		return nil, fault.New(fault.Conflict, "memory.create", "Session %s exists already.", id)
	}
	return m.hold(m.add(id)), nil
}

// Acquire holds a record.
func (m *Memory) Acquire(_ context.Context, id session.ID) (session.Writer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(id)
	if err != nil {
		return nil, err
	}
	if r.holder != nil {
		return nil, fault.New(fault.Conflict, "memory.acquire", "This process holds session %s.", id).WithCode(session.CodeHeld)
	}
	return m.hold(r), nil
}

func (m *Memory) hold(r *record) *handle {
	r.holder = &handle{m: m, r: r}
	return r.holder
}

// Read opens a record for looking.
func (m *Memory) Read(_ context.Context, id session.ID) (session.Reader, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(id)
	if err != nil {
		return nil, err
	}
	return &handle{m: m, r: r}, nil
}

// List names the records.
func (m *Memory) List(context.Context) ([]session.Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []session.Stored
	for id, r := range m.records {
		out = append(out, session.Stored{ID: id, Bytes: int64(len(r.log)), Changed: r.changed})
	}
	return out, nil
}

// Delete removes a record.
func (m *Memory) Delete(_ context.Context, id session.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.find(id)
	if err != nil {
		return err
	}
	if r.holder != nil {
		return fault.New(fault.Conflict, "memory.delete", "Session %s is held.", id).WithCode(session.CodeHeld)
	}
	delete(m.records, id)
	return nil
}

// handle reads a record, and writes it while it is the record's holder.
type handle struct {
	m *Memory
	r *record
}

func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	return bytes.NewReader(h.r.log).ReadAt(p, off)
}

func (h *handle) Size() (int64, error) {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	return int64(len(h.r.log)), nil
}

func (h *handle) Blob(sum string) ([]byte, error) {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	b, ok := h.r.blobs[sum]
	if !ok {
		return nil, fault.New(fault.NotFound, "memory.blob", "There is no content %s.", sum)
	}
	return slices.Clone(b), nil
}

func (h *handle) Part(name session.PartName) (session.Part, error) {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	b, ok := h.r.parts[name]
	if !ok {
		return nil, nil
	}
	return part{bytes.NewReader(b)}, nil
}

type part struct{ *bytes.Reader }

func (part) Close() error { return nil }

// write runs change while h holds the record.
func (h *handle) write(change func() error) error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if h.r.holder != h {
		return fault.New(fault.Conflict, "memory.write", "The session is not held any more. This was not written.").WithCode(session.CodeLeaseLost)
	}
	h.r.changed = time.Now()
	return change()
}

func (h *handle) Append(lines []byte) error {
	return h.write(func() error {
		h.r.log = append(h.r.log, lines...)
		return nil
	})
}

func (h *handle) WriteOut() error { return h.write(func() error { return nil }) }

func (h *handle) Sync(context.Context) error { return h.write(func() error { return nil }) }

func (h *handle) PutBlob(sum string, content []byte) error {
	return h.write(func() error {
		h.r.blobs[sum] = slices.Clone(content)
		return nil
	})
}

func (h *handle) PutPart(name session.PartName, content io.Reader) error {
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return h.write(func() error {
		h.r.parts[name] = b
		return nil
	})
}

func (h *handle) Replace(_ context.Context, from int64, instead io.Reader, keep string) error {
	fresh, err := io.ReadAll(instead)
	if err != nil {
		return err
	}
	return h.write(func() error {
		if h.r.kept[keep] != nil {
			return fault.New(fault.Conflict, "memory.replace", "%s is there already.", keep)
		}
		if keep != "" {
			h.r.kept[keep] = slices.Clone(h.r.log[from:])
		}
		h.r.log = append(h.r.log[:from:from], fresh...)
		return nil
	})
}

func (h *handle) Close() error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if h.r.holder == h {
		h.r.holder = nil
	}
	return nil
}
