package main

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"fairlead/app"
)

// hostUp waits until the host of the script's home has announced itself, and sets
// ADDR to where it answers.
func hostUp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: up")
	}
	home := app.Home(ts.Getenv("FAIRLEAD_HOME"))
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for limit := time.After(30 * time.Second); ; {
		if r, ok := home.Running(); ok {
			ts.Setenv("ADDR", r.Address)
			return
		}
		select {
		case <-again.C:
		case <-limit:
			ts.Fatalf("the host did not come up")
		}
	}
}

// getPage asks the host for a path and fails unless it answers with a status.
func getPage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) == 3 && args[2] != "token" {
		ts.Fatalf("usage: get STATUS PATH [token]")
	}
	r, err := http.NewRequest(http.MethodGet, "http://"+ts.Getenv("ADDR")+args[1], nil)
	ts.Check(err)
	if len(args) == 3 {
		token, err := os.ReadFile(ts.Getenv("FAIRLEAD_HOME") + "/run/token")
		ts.Check(err)
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	res, err := http.DefaultClient.Do(r)
	ts.Check(err)
	res.Body.Close()
	if got := strconv.Itoa(res.StatusCode); got != args[0] {
		ts.Fatalf("%s answers %s, want %s", args[1], got, args[0])
	}
}
