package toolbox_test

import (
	"strings"
	"testing"
)

func TestATerminalKeepsWhatWasDoneInIt(t *testing.T) {
	h := newHouse(t)
	h.put("sub/a", "")
	says(t, h.ok("terminal_open", args{}), "Opened terminal-1.", "$ ", "[terminal-1: ready]")
	says(t, h.ok("terminal_send", args{"terminal": "terminal-1", "text": "cd sub; X=5; tty"}), "/dev/pts/", "[terminal-1: ready]")
	says(t, h.ok("terminal_send", args{"terminal": "terminal-1", "text": `echo "$X in $PWD" $(stty size)`}), "5 in "+h.path("sub")+" 40 160")
	says(t, h.ok("terminal_list", args{}), "terminal-1: bash (ready)")
	says(t, h.ok("job_output", args{}), "terminal-1: bash")
	says(t, h.ok("terminal_close", args{"terminal": "terminal-1"}), "[terminal-1: stopped by the model")
	h.refused("NO_SUCH_JOB", "terminal_send", args{"terminal": "terminal-7", "text": "x"})
}

func TestAProgramInATerminalIsTalkedTo(t *testing.T) {
	h := newHouse(t)
	says(t, h.ok("terminal_open", args{"command": "python3 -q"}), ">>>")
	says(t, h.ok("terminal_send", args{"terminal": "terminal-1", "text": "print(6 * 7)"}), "42\n", "[terminal-1: python3 runs]")
	text := h.ok("terminal_send", args{"terminal": "terminal-1", "text": "exit()"})
	says(t, text, "[terminal-1: ended, exit code 0")
	if list := h.jobsOf(); list[0].State != "ended" || list[0].Kind != "terminal" {
		t.Errorf("%+v", list)
	}
}

func TestWhatRunsInATerminalCanBeInterrupted(t *testing.T) {
	h := newHouse(t)
	h.ok("terminal_open", args{})
	says(t, h.ok("terminal_send", args{"terminal": "terminal-1", "text": "sleep 1000", "wait_ms": 0}), "[terminal-1: ")
	for !strings.Contains(h.ok("terminal_read", args{"terminal": "terminal-1"}), "sleep runs") {
	}
	says(t, h.ok("terminal_signal", args{"terminal": "terminal-1", "signal": "INT"}), "[terminal-1: ready]")
	h.refused("INVALID", "terminal_signal", args{"terminal": "terminal-1", "signal": "KILL"})
	h.ok("terminal_send", args{"terminal": "terminal-1", "text": "sleep 1000", "wait_ms": 0})
	for !strings.Contains(h.ok("terminal_read", args{"terminal": "terminal-1"}), "sleep runs") {
	}
	says(t, h.ok("terminal_send", args{"terminal": "terminal-1", "text": "\x03", "enter": false}), "[terminal-1: ready]")
}

func TestATerminalLeavesNothingBehind(t *testing.T) {
	h := newHouse(t)
	h.ok("terminal_open", args{})
	h.ok("terminal_send", args{"terminal": "terminal-1", "text": "(setsid nohup sleep 8765 &) ; trap '' TERM HUP; sleep 8765 &"})
	h.ok("terminal_close", args{"terminal": "terminal-1"})
	alive("sleep\x008765", func(name string) { t.Errorf("still alive: %q", name) })
}
