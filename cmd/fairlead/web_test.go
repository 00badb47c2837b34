package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
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

// getPage asks the host for a path and fails unless it answers with a status, and
// with a body that matches.
func getPage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 4 || len(args) > 2 && args[2] != "token" {
		ts.Fatalf("usage: get STATUS PATH [token [EXPR]]")
	}
	ask(ts, http.MethodGet, args[1], "", len(args) > 2, args[0], strings.Join(args[min(3, len(args)):], ""))
}

// sendPage sends JSON to the host as this machine's own program.
func sendPage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || len(args) > 5 {
		ts.Fatalf("usage: send METHOD STATUS PATH JSON [EXPR]")
	}
	ask(ts, args[0], args[2], args[3], true, args[1], strings.Join(args[4:], ""))
}

func ask(ts *testscript.TestScript, method, path, body string, signed bool, status, expr string) {
	r, err := http.NewRequest(method, "http://"+ts.Getenv("ADDR")+path, strings.NewReader(body))
	ts.Check(err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if signed {
		token, err := os.ReadFile(ts.Getenv("FAIRLEAD_HOME") + "/run/token")
		ts.Check(err)
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	res, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	ts.Check(err)
	if got := strconv.Itoa(res.StatusCode); got != status {
		ts.Fatalf("%s answers %s, want %s: %s", path, got, status, text)
	}
	match, err := regexp.Match(expr, text)
	ts.Check(err)
	if !match {
		ts.Fatalf("%s answers %s, want %q", path, text, expr)
	}
}
