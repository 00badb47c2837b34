//go:build linux && (amd64 || arm64)

package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every way of changing a file that a shell knows.
var changes = map[string]string{
	"write":         `echo x > "$T/new"`,
	"append":        `echo x >> "$T/old"`,
	"truncate":      `: > "$T/old"`,
	"remove":        `rm -f "$T/old"`,
	"make a folder": `mkdir "$T/folder"`,
	"rename":        `mv "$T/old" "$T/other"`,
	"hard link":     `ln "$T/old" "$T/hard"`,
	"symbolic link": `ln -s old "$T/soft"`,
	"fifo":          `mkfifo "$T/fifo"`,
	"by relation":   `cd "$T" && echo x > new`,
	"by dots":       `echo x > "$T/../$(basename "$T")/new"`,
	"through proc":  `echo x > "/proc/self/root$T/new"`,
}

func TestALookOnlyChildChangesNothing(t *testing.T) {
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		for name, command := range changes {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "old"), "kept")
			out, exit := finish(t, s, Spec{Dir: dir, Env: []string{"T=" + dir}}, command)
			if exit.Code == 0 {
				t.Errorf("%s worked: %s", name, out)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 || read(t, filepath.Join(dir, "old")) != "kept" {
				t.Errorf("%s changed the folder: %v %v", name, entries, err)
			}
		}
	})
}

func TestALookOnlyChildSeesAndWorks(t *testing.T) {
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a"), "text\n")
		out, exit := finish(t, s, Spec{Dir: dir}, `set -e
cat a; cat <<< here; diff <(echo one) <(echo one) && echo same; echo gone > /dev/null; echo err > /dev/stderr; echo out | tee /dev/stderr >/dev/null; read x || echo nobody`)
		if want := "text\nhere\nsame\nerr\nout\nnobody\n"; out != want || exit.Code != 0 {
			t.Errorf("exit %d, output %q, want %q", exit.Code, out, want)
		}
	})
}

func TestAChildWritesInItsFoldersOnly(t *testing.T) {
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		for name, command := range changes {
			workspace, outside := t.TempDir(), t.TempDir()
			temp, err := s.scratchFor("own")
			if err != nil {
				t.Fatal(err)
			}
			policy := Policy{Write: []string{workspace}}
			for _, dir := range []string{workspace, temp, outside} {
				write(t, filepath.Join(dir, "old"), "kept")
			}
			for _, dir := range []string{workspace, temp} {
				if out, exit := finish(t, s, Spec{Dir: workspace, Temp: "own", Policy: policy, Env: []string{"T=" + dir}}, command); exit.Code != 0 && name != "through proc" {
					t.Errorf("%s in its own folder failed: %s", name, out)
				}
			}
			if out, exit := finish(t, s, Spec{Dir: workspace, Policy: policy, Env: []string{"T=" + outside}}, command); exit.Code == 0 {
				t.Errorf("%s outside worked: %s", name, out)
			}
			if entries, _ := os.ReadDir(outside); len(entries) != 1 || read(t, filepath.Join(outside, "old")) != "kept" {
				t.Errorf("%s changed what is outside: %v", name, entries)
			}
		}
	})
}

func TestALinkIsNoWayOut(t *testing.T) {
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		workspace, outside := t.TempDir(), t.TempDir()
		if err := os.Symlink(outside, filepath.Join(workspace, "out")); err != nil {
			t.Fatal(err)
		}
		spec := Spec{Dir: workspace, Policy: Policy{Write: []string{workspace}}}
		if out, exit := finish(t, s, spec, "echo x > out/new || echo x > dangling"); exit.Code != 0 {
			t.Errorf("the second write is inside: %s", out)
		}
		if exists(filepath.Join(outside, "new")) {
			t.Error("written through a link")
		}
	})
}

func TestTemporaryFilesHaveAPlace(t *testing.T) {
	for name, a := range machines(t) {
		if !a().mounts {
			continue
		}
		s := newHouse(t, a)
		for what, spec := range map[string]Spec{
			"look-only": {},
			"own":       {Temp: "own", Policy: Policy{Write: []string{t.TempDir()}}},
		} {
			out, exit := finish(t, s, spec, `set -e; f=$(mktemp); echo x > $f; cat $f; echo y > /dev/shm/y; cat /dev/shm/y`)
			if out != "x\ny\n" || exit.Code != 0 {
				t.Errorf("%s, %s: %d %q", name, what, exit.Code, out)
			}
		}
		if exists("/dev/shm/y") {
			t.Errorf("%s: the child's /dev/shm is everybody's", name)
		}
	}
}

func TestMultipleProcessPythonWorks(t *testing.T) {
	s := newHouse(t, nil)
	out, _ := finish(t, s, Spec{}, `python3 -c '
import multiprocessing, os, pty
lock = multiprocessing.Lock()
with lock: print("locked")
print(os.ttyname(pty.openpty()[1]).startswith("/dev/pts/"))'`)
	if out != "locked\nTrue\n" {
		t.Errorf("output %q", out)
	}
}

func TestProtectedPathsStayAsTheyAre(t *testing.T) {
	attempts := map[string]string{
		"write":                       `echo x > .git/config`,
		"append":                      `echo x >> .git/config`,
		"remove":                      `rm -f .git/config`,
		"replace":                     `echo x > n && mv -f n .git/config`,
		"replace as git does":         `echo x > .git/config.lock && mv -f .git/config.lock .git/config`,
		"add a hook":                  `echo x > .git/hooks/post-checkout`,
		"swap the folder":             `mv .git/hooks .git/h && mkdir .git/hooks && echo x > .git/hooks/post-checkout`,
		"swap the repository":         `mv .git .g && mkdir -p .git/hooks && echo x > .git/hooks/post-checkout`,
		"remove the folder":           `rm -rf .git`,
		"by a hard link":              `ln .git/config c && echo x > c`,
		"by a link to the folder":     `ln -s .git g && echo x > g/config`,
		"by mount":                    `mount -o remount,rw,bind .git/hooks && echo x > .git/hooks/post-checkout`,
		"by umount":                   `umount .git/hooks && echo x > .git/hooks/post-checkout`,
		"in a user namespace of ours": `unshare -Urm bash -c 'umount .git/hooks; mount -o remount,rw .git/hooks; echo x > .git/hooks/post-checkout'`,
	}
	for name, a := range machines(t) {
		s := newHouse(t, a)
		if s.Probe().Protected == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for what, command := range attempts {
				for _, wide := range []bool{false, true} {
					if wide && s.Probe().Protected == "bubblewrap" {
						continue // it is the stand-in for confined children only
					}
					dir := t.TempDir()
					write(t, filepath.Join(dir, ".git/config"), "kept")
					write(t, filepath.Join(dir, ".git/hooks/pre-commit"), "kept")
					policy := Policy{Write: []string{dir}, Network: true, Deny: []string{filepath.Join(dir, ".git/config"), filepath.Join(dir, ".git/hooks")}}
					if wide {
						policy.Write = []string{"/"}
					}
					finish(t, s, Spec{Dir: dir, Policy: policy}, command+"\nexit 0")
					if !exists(filepath.Join(dir, ".git/config")) || read(t, filepath.Join(dir, ".git/config")) != "kept" {
						t.Errorf("%s (everywhere: %v) changed the file", what, wide)
					}
					if exists(filepath.Join(dir, ".git/hooks/post-checkout")) || !exists(filepath.Join(dir, ".git/hooks/pre-commit")) {
						t.Errorf("%s (everywhere: %v) changed the folder", what, wide)
					}
				}
			}
		})
	}
}

func TestWorkGoesOnBesideProtectedPaths(t *testing.T) {
	s := newHouse(t, nil)
	dir := t.TempDir()
	finish(t, s, Spec{Dir: dir, Policy: Policy{Write: []string{dir}}}, `git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one`)
	policy := Policy{Write: []string{dir}, Deny: []string{filepath.Join(dir, ".git/config"), filepath.Join(dir, ".git/hooks")}}
	out, exit := finish(t, s, Spec{Dir: dir, Policy: policy}, `set -e
echo text > file; git add file; git -c user.name=a -c user.email=a@b commit -qm two; git log --oneline | wc -l; git checkout -qb other; git gc -q; git status --short`)
	if strings.TrimSpace(out) != "2" || exit.Code != 0 {
		t.Errorf("exit %d: %s", exit.Code, out)
	}
}

func TestAProtectedPathThatAppearsIsNamed(t *testing.T) {
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		dir := t.TempDir()
		deny := []string{filepath.Join(dir, ".mcp.json"), filepath.Join(dir, ".vscode")}
		_, exit := finish(t, s, Spec{Dir: dir, Policy: Policy{Write: []string{dir}, Deny: deny}}, "mkdir .vscode")
		if len(exit.Appeared) != 1 || exit.Appeared[0] != deny[1] {
			t.Errorf("appeared: %q", exit.Appeared)
		}
	})
}

func TestAChildWithoutANetworkReachesNobody(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	path := filepath.Join(t.TempDir(), "s")
	local, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	port := strings.TrimPrefix(tcp.Addr().String(), "127.0.0.1:")
	attempts := `exec 2>/dev/null; (exec 9<>/dev/tcp/127.0.0.1/` + port + `) && echo tcp
python3 - <<'end'
from socket import *
def attempt(name, do):
    try: do(); print(name)
    except OSError: pass
attempt("unix", lambda: socket(AF_UNIX).connect("` + path + `"))
attempt("udp", lambda: socket(AF_INET, SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9)))
attempt("multipath tcp", lambda: socket(AF_INET, SOCK_STREAM, 262).connect(("127.0.0.1", ` + port + `)))
attempt("machine socket", lambda: socket(AF_VSOCK, SOCK_STREAM))
a, b = socketpair(); a.send(b"pair"); print(b.recv(9).decode())
end
`
	onEveryMachine(t, func(t *testing.T, s *Spawner) {
		dir := t.TempDir()
		for _, policy := range []Policy{{}, {Write: []string{dir}}} {
			if out, _ := finish(t, s, Spec{Dir: dir, Policy: policy}, attempts); out != "pair\n" {
				t.Errorf("under %+v these worked: %q", policy, out)
			}
		}
		if out, _ := finish(t, s, Spec{Dir: dir, Policy: Policy{Write: []string{dir}, Network: true}}, attempts); !strings.HasPrefix(out, "tcp\nunix\n") {
			t.Errorf("of an open network only this works: %q", out)
		}
	})
}
