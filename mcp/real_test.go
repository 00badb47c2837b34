//go:build realmcp

package mcp_test

import (
	"bufio"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/mcp"
)

// servers is a folder in which the reference servers of npm are installed; make
// real-mcp sets it.
var servers = flag.String("servers", "", "a folder with the node_modules of the reference servers")

func script(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(*servers, "node_modules/@modelcontextprotocol/server-"+name+"/dist/index.js")
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run make real-mcp", err)
	}
	return path
}

func node(t *testing.T, name string, args ...any) map[string]any {
	return map[string]any{"command": append([]any{"node", script(t, name)}, args...)}
}

// everything tries what the server "everything" offers.
func everything(t *testing.T, h *house) {
	says(t, h.run("mcp__everything__echo", map[string]any{"message": "hello"}), "hello")
	says(t, h.run("mcp__everything__get-sum", map[string]any{"a": 2, "b": 40}), "42")
	if r := h.run("mcp__everything__get-tiny-image", nil); r.Failed || len(r.Content) != 2 || r.Content[1].MIME != "image/png" {
		t.Errorf("the picture: %+v", r)
	}
	r := h.run("mcp__everything__get-structured-content", map[string]any{"location": "New York"})
	if says(t, r, "temperature"); strings.Count(plain(r), "temperature") != 1 {
		t.Errorf("content is there twice: %s", plain(r))
	}
	if r := h.run("mcp__everything__get-sum", map[string]any{"a": "no number"}); !r.Failed {
		t.Errorf("wrong arguments: %s", plain(r))
	}
	before := h.log.Seq()
	says(t, h.run("mcp__everything__trigger-long-running-operation", map[string]any{"duration": 1, "steps": 4}), "Long running operation completed")
	progress := 0
	for e, err := range h.log.Events(before + 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "tool/progress" {
			progress++
		}
	}
	list := h.run("mcp_read", map[string]any{"server": "everything"})
	says(t, list, "resource ", "prompt ")
	for line := range strings.SplitSeq(plain(list), "\n") {
		if uri, ok := strings.CutPrefix(line, "resource demo://"); ok {
			uri, _, _ = strings.Cut("demo://"+uri, ": ")
			if r := h.run("mcp_read", map[string]any{"server": "everything", "resource": uri}); r.Failed {
				t.Errorf("the resource %s: %s", uri, plain(r))
			}
			break
		}
	}
	s := h.state("everything")
	t.Logf("%s, protocol %s: %d tools, %d left out, %d resources and prompts, %d events of progress, %d lines of noise", s.Server, s.Protocol, len(s.Tools), len(s.Skipped), strings.Count(plain(list), "\n")+1, progress, s.Noise)
}

func TestRealEverythingOverStdio(t *testing.T) {
	h := newHouse(t, map[string]map[string]any{"everything": node(t, "everything", "stdio")})
	h.approve("everything")
	everything(t, h)
	if r := h.run("mcp__everything__get-env", nil); strings.Contains(plain(r), "FAIRLEAD_HOME") {
		t.Errorf("its environment: %s", plain(r))
	}
}

func TestRealEverythingOverHTTP(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", script(t, "everything"), "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "listening") {
			break
		}
	}
	h := newHouse(t, map[string]map[string]any{"everything": {"url": fmt.Sprintf("http://127.0.0.1:%d/mcp", port)}})
	h.approve("everything")
	everything(t, h)
}

func TestRealFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := node(t, "filesystem", dir)
	s["write"] = []any{dir}
	h := newHouse(t, map[string]map[string]any{"files": s, "tight": node(t, "filesystem", dir)})
	h.approve("files")
	h.approve("tight")
	says(t, h.run("mcp__files__write_file", map[string]any{"path": filepath.Join(dir, "a.txt"), "content": "hello"}), "wrote")
	says(t, h.run("mcp__files__read_text_file", map[string]any{"path": filepath.Join(dir, "a.txt")}), "hello")
	says(t, h.run("mcp__files__list_directory", map[string]any{"path": dir}), "a.txt")
	if r := h.run("mcp__files__read_text_file", map[string]any{"path": "/etc/hostname"}); !r.Failed {
		t.Errorf("outside of its folder: %s", plain(r))
	}
	// The same server without a folder to write to is held by the sandbox, whatever it means to allow.
	if r := h.run("mcp__tight__write_file", map[string]any{"path": filepath.Join(dir, "b.txt"), "content": "hello"}); !r.Failed {
		t.Errorf("it wrote without leave: %s", plain(r))
	}
	state := h.state("files")
	t.Logf("%s, protocol %s: %d tools", state.Server, state.Protocol, len(state.Tools))
}

func TestRealMemory(t *testing.T) {
	dir := t.TempDir()
	s := node(t, "memory")
	s["write"], s["env"] = []any{dir}, []any{"MEMORY_FILE_PATH"}
	h := newHouse(t, nil)
	h.keys["MEMORY_FILE_PATH"] = filepath.Join(dir, "memory.jsonl")
	h.set("memory", s)
	h.approve("memory")
	says(t, h.run("mcp__memory__create_entities", map[string]any{"entities": []any{map[string]any{"name": "bowline", "entityType": "knot", "observations": []any{"does not slip"}}}}), "bowline")
	h.run("mcp__memory__no_such_tool", nil)
	says(t, h.run("mcp__memory__search_nodes", map[string]any{"query": "slip"}), "bowline")
	h.wait("memory", func(s mcp.State) bool { return s.State == "ready" })
	state := h.state("memory")
	t.Logf("%s, protocol %s: %d tools", state.Server, state.Protocol, len(state.Tools))
}
