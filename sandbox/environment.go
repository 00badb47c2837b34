package sandbox

import (
	"slices"
	"strings"
)

// passed are the variables of ours that a child gets. Everything else, keys and
// tokens above all, is left out rather than blanked: a name is not a secret's only
// hiding place, so the list says what may pass and not what may not.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TZDIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
	"JAVA_HOME", "NVM_DIR", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "NIX_PATH", "NIX_PROFILES", "LOCALE_ARCHIVE",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "TEMP", "TMP",
}

// locales are passed too, whatever the category.
var locales = []string{"LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "LC_PAPER", "LC_MEASUREMENT"}

// defaults are what a child finds where ours has nothing better: a plain terminal,
// no pager, nobody at the keyboard.
var defaults = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"}

// environment builds what a child gets: the keep-list taken from ours, without the
// unset names, its folder for temporary files, then what the spec sets. Later settings of a name win.
func environment(ours []string, spec Spec, temp string) []string {
	vars := map[string]string{}
	for _, pair := range defaults {
		put(vars, pair)
	}
	for _, pair := range ours {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains(passed, strings.ToUpper(name)) || slices.Contains(locales, name) {
			put(vars, pair)
		}
	}
	vars["TERM"] = "dumb"
	if temp != "" {
		vars["TMPDIR"] = temp
	}
	for _, name := range spec.Unset {
		delete(vars, name)
	}
	for _, pair := range spec.Env {
		put(vars, pair)
	}
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

func put(vars map[string]string, pair string) {
	if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
		vars[name] = value
	}
}

// lookup gives the value of a variable in an environment, the last one set.
func lookup(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// Keep picks from an environment what children may have, by looking it up. It makes
// the Env of [Options] without the rest ever being passed around.
func Keep(lookup func(name string) string) []string {
	var env []string
	for _, name := range slices.Concat(passed, locales) {
		if value := lookup(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
