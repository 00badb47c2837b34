package agent_test

import (
	"slices"
	"strings"
	"testing"

	"fairlead/graph"
	"fairlead/session"
	"fairlead/store"
)

func TestWhatATurnStandsOnIsReplacedOnlyAfterIt(t *testing.T) {
	h := build(t, blueprint{script: hanging})
	a := h.create()
	h.send(a, "one")
	h.streaming(a)
	files, found := h.graph.Find("store-files")
	if !found {
		t.Fatal("no store")
	}
	replaced := make(chan error, 1)
	go func() { replaced <- files.Replace(t.Context(), store.Plugin(h.dir), nil) }()
	for list := range h.graph.Watch(t.Context()) {
		i := slices.IndexFunc(list, func(s graph.Status) bool { return s.Path == "store-files" })
		if i < 0 || list[i].State != graph.Active {
			t.Fatal("the store is taken away under a running turn")
		}
		if strings.Contains(list[i].Reason, "held") {
			break
		}
	}
	if err := a.Cancel(t.Context(), "user"); err != nil {
		t.Fatal(err)
	}
	if err := <-replaced; err != nil {
		t.Fatal(err)
	}
	library, found := graph.Lookup(h.graph.Root().Realm(), session.LibraryKey)
	if !found {
		t.Fatal("no library on the new store")
	}
	log, err := library.Read(t.Context(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(t.Context())
	for e, err := range log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if !session.TurnEnd.Of(e) {
			continue
		}
		if end, err := session.TurnEnd.Decode(e); err != nil || end.Reason != (session.EndReason{Kind: session.EndAborted, By: "user"}) {
			t.Errorf("the turn ended by %+v, %v, not by the person", end.Reason, err)
		}
	}
}
