package crash_test

import (
	"strings"
	"testing"
)

func TestAHomeThatCannotBeWrittenIsSaidAndCanStillBeRead(t *testing.T) {
	m := newModel(t)
	d := drive(t, smallDisk(t, m.url(), "8m"), m)
	x := d.work("talk")
	d.play(x)
	if end := d.talk(x); end != "completed" {
		t.Fatalf("a turn ends as %q", end)
	}
	d.stop()
	before, err := d.p.readLog(d.s.id)
	check(t, err)
	d.p.readOnly()

	for _, args := range [][]string{
		{"run", "--base-url", d.p.model, "--model", "scripted", "hello"},
		{"run", "--base-url", d.p.model, "--model", "scripted", "--resume", d.s.id, "hello"},
		{"web", "--no-open", "--addr", "127.0.0.1:0"},
	} {
		out, errs, code := d.p.run(args...)
		if code == 0 || out != "" || !strings.Contains(errs, d.p.home) || !strings.Contains(errs, "cannot be written") || !strings.Contains(errs, "Nothing was started") {
			t.Errorf("%s exits with %d, prints %q and says %q", args[0], code, out, errs)
		}
	}
	for _, args := range [][]string{
		{"session", "list", "--json"},
		{"session", "show", d.s.id},
		{"session", "verify", d.s.id},
		{"session", "export", d.s.id, "--as", "json"},
	} {
		out, errs, code := d.p.run(args...)
		if code != 0 || !strings.Contains(out, d.s.id[:8]) {
			t.Errorf("%v exits with %d, prints %q and says %q", args, code, out, errs)
		}
	}
	after, err := d.p.readLog(d.s.id)
	check(t, err)
	if string(after.bytes) != string(before.bytes) {
		t.Error("the log was changed")
	}
}
