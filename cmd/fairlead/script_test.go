package main

import (
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"fairlead/llm/scripted"
)

var update = flag.Bool("update", false, "rewrite the texts that the scripts compare with")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fairlead": func() { os.Exit(run()) }})
}

// TestCommandLine plays testdata/*.txtar over the real main. Beside the usual
// commands there are:
//
//	model FILE     serves a scripted model (see package scripted) and sets URL
//	serve KIND     serves something that is no model: html, nothing
//	last NAME      sets NAME to the id of the session used last
//	up             waits for the host of this home and sets ADDR
//	get STATUS PATH [token [EXPR]]
//	               asks it for a path, as this machine's own program with token; the
//	               answer must match the expression
//	send METHOD STATUS PATH JSON [EXPR]
//	               the same with a body
//	code N ARGS…   runs a command and fails unless it exits with code N
//	waitlog TEXT   returns when a session's log matches the expression
//	signal NAME    sends a signal to the command in the background: INT, TERM, KILL
//	exited N       fails unless the command that was signalled exited with code N; after wait
//	field N EXPR   fails unless the JSON in stdout has the value N at the path EXPR
func TestCommandLine(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/user")
			env.Setenv("FAIRLEAD_HOME", env.WorkDir+"/home")
			env.Setenv("NO_COLOR", "1")
			env.Values[signalled{}] = &signalled{}
			return os.MkdirAll(env.WorkDir+"/work", 0o755)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"up": hostUp, "get": getPage, "send": sendPage, "model": serveModel, "serve": serveOther, "last": lastSession, "code": checkCode, "waitlog": waitLog, "signal": sendSignal, "exited": checkExited, "field": checkField,
		},
	})
}

func serveModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	script, err := scripted.Parse(ts.ReadFile(args[0]))
	ts.Check(err)
	serve(ts, scripted.Handler(script))
}

func serveOther(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve html|nothing")
	}
	serve(ts, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>It works!</title><p>This is a web server.")
	}))
	if args[0] == "nothing" {
		ts.Setenv("URL", "http://127.0.0.1:1/v1")
	}
}

func serve(ts *testscript.TestScript, h http.Handler) {
	s := httptest.NewServer(h)
	ts.Defer(s.Close)
	ts.Setenv("URL", s.URL+"/v1")
}

func lastSession(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("fairlead", "session", "list", "--json"))
	var list struct {
		Sessions []struct {
			ID string `json:"id"`
		} `json:"sessions"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	if neg || len(args) != 1 || len(list.Sessions) == 0 {
		ts.Fatalf("usage: last NAME; %d sessions", len(list.Sessions))
	}
	ts.Setenv(args[0], list.Sessions[0].ID)
}

func checkCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit code %d, want %s\n%s", got, args[0], ts.ReadFile("stderr"))
	}
}

func checkField(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: field VALUE PATH")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	var v any
	ts.Check(json.Unmarshal([]byte(lines[len(lines)-1]), &v))
	for name := range strings.SplitSeq(args[1], ".") {
		if list, ok := v.([]any); ok {
			i, err := strconv.Atoi(name)
			ts.Check(err)
			v = list[i]
			continue
		}
		m, _ := v.(map[string]any)
		v = m[name]
	}
	text, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		ts.Check(err)
		text = string(b)
	}
	if (text == args[0]) == neg {
		ts.Fatalf("%s is %s", args[1], text)
	}
}
