package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/settings"
)

// Settings are the servers of the person, by name.
type Settings struct {
	Servers map[string]Server `yaml:"servers" doc:"Servers of the Model Context Protocol, by name: letters, digits, - and _."`
}

// Section is the part of the settings that holds them.
var Section = settings.NewSection("mcp", "Servers of the Model Context Protocol.", Settings{})

// Server says how one server is started or reached, and what its process may do.
type Server struct {
	Command  []string      `yaml:"command" json:"command,omitempty" doc:"The program and its arguments; it talks on stdin and stdout."`
	URL      string        `yaml:"url" json:"url,omitempty" doc:"The address of a server that is reached over HTTP, instead of a command."`
	Env      []string      `yaml:"env" json:"env,omitempty" doc:"Names of variables or saved keys that the program gets."`
	Key      string        `yaml:"key" json:"key,omitempty" doc:"Name of the saved key that is sent to the address as bearer token."`
	Folder   string        `yaml:"folder" json:"folder,omitempty" doc:"Absolute folder that the program starts in."`
	Write    []string      `yaml:"write" json:"write,omitempty" doc:"Absolute folders that the program may change; none otherwise, but its own temporary one."`
	Network  bool          `yaml:"network" json:"network,omitempty" doc:"Whether the program may use the network."`
	Limit    time.Duration `yaml:"limit" json:"-" doc:"How long a call may be silent; 1 minute where it is not set."`
	Disabled bool          `yaml:"disabled" json:"-" doc:"Whether it is left alone."`
}

const standardLimit = time.Minute

func validName(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// check says what is wrong with a server's settings.
func (s Server) check(name string) error {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "mcp.settings", "The MCP server %q is not used: "+format+". Correct it in the settings.", append([]any{name}, args...)...)
	}
	switch {
	case !validName(name):
		return wrong("its name may have letters, digits, - and _, at most 32")
	case (len(s.Command) == 0) == (s.URL == ""):
		return wrong("it needs a command or a url, and not both")
	case len(s.Command) > 0 && s.Command[0] == "":
		return wrong("its command names no program")
	case s.Folder != "" && !filepath.IsAbs(s.Folder):
		return wrong("its folder is not absolute")
	}
	for _, dir := range s.Write {
		if !filepath.IsAbs(dir) {
			return wrong("%q, which it may change, is not absolute", dir)
		}
	}
	for _, name := range s.Env {
		if strings.ContainsAny(name, "= ") || name == "" {
			return wrong("env names variables, without values: %q is no name", name)
		}
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
			return wrong("%q is no address it could be reached at", s.URL)
		}
	}
	return nil
}

// digest names exactly how the server is started or reached and what it may do.
func (s Server) digest() string { return digestOf(s) }

// where is how a person knows the server: its command line or its address.
func (s Server) where() string {
	if s.URL != "" {
		return s.URL
	}
	return strings.Join(s.Command, " ")
}

func (s Server) limit() time.Duration {
	if s.Limit > 0 {
		return s.Limit
	}
	return standardLimit
}

// digestOf is the SHA-256 of a value's JSON, in hex. Maps in it are written in order.
func digestOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("mcp: a digest of what is not JSON: " + err.Error()) // our own types alone come here
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
