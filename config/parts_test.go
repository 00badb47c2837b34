package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"fairlead/config"
)

func TestNoChangeOfASharedFileIsLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "trust.json")
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			err := config.ChangePart(path, fmt.Sprintf("part%d", n%2), func(old json.RawMessage) (json.RawMessage, error) {
				var list []int
				if old != nil {
					if err := json.Unmarshal(old, &list); err != nil {
						return nil, err
					}
				}
				return json.Marshal(append(list, n))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	parts, err := config.Parts(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for name, part := range parts {
		var list []int
		if err := json.Unmarshal(part, &list); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, n := range list {
			seen[n] = true
		}
	}
	if len(seen) != 40 {
		t.Errorf("%d of 40 changes are there", len(seen))
	}
}

func TestAChangeThatFailsLeavesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.json")
	const text = `{"a": 1}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	no := errors.New("no")
	err := config.ChangePart(path, "b", func(json.RawMessage) (json.RawMessage, error) { return nil, no })
	if got, _ := os.ReadFile(path); !errors.Is(err, no) || string(got) != text {
		t.Errorf("%v, %s", err, got)
	}
}
