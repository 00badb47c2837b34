package proof

import (
	"path/filepath"
	"slices"
	"strings"
)

// UnaskedEnv are the variables that a command which runs unasked gets on top of its
// scrubbed environment: they switch off what a tool would start by itself, and keep
// tools away from the network and from other toolchains. path is the PATH of the
// process, "" for the sandbox's own one. The proof is about programs of the system, so
// what a model may have written to, the changeable folders, is no place to find them in.
func UnaskedEnv(path string, changeable ...string) []string {
	env := []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false", "GIT_NO_LAZY_FETCH=1",
		"GIT_CONFIG_COUNT=5",
		"GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false",
		"GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=/dev/null",
		"GIT_CONFIG_KEY_2=core.pager", "GIT_CONFIG_VALUE_2=cat",
		"GIT_CONFIG_KEY_3=safe.bareRepository", "GIT_CONFIG_VALUE_3=explicit",
		"GIT_CONFIG_KEY_4=log.showSignature", "GIT_CONFIG_VALUE_4=false",
		"DEBUGINFOD_URLS=", "TAR_OPTIONS=",
		"PAGER=cat", "RIPGREP_CONFIG_PATH=", "LESSOPEN=",
		"GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=-mod=readonly -buildvcs=false", "GOTELEMETRY=off",
	}
	if path != "" {
		env = append(env, "PATH="+searchPath(path, changeable))
	}
	return env
}

// searchPath leaves out the folders of a PATH that are relative, empty, or in one of
// the changeable folders, as named or through links. Those of the system stay.
func searchPath(path string, changeable []string) string {
	for _, folder := range slices.Clone(changeable) {
		if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
			changeable = append(changeable, real)
		}
	}
	folders := slices.DeleteFunc(filepath.SplitList(path), func(folder string) bool {
		if slices.Contains(binFolders, filepath.Clean(folder)+"/") {
			return false
		}
		real, err := filepath.EvalSymlinks(folder)
		return err != nil || !filepath.IsAbs(folder) || slices.ContainsFunc(changeable, func(c string) bool { return within(folder, c) || within(real, c) })
	})
	if len(folders) == 0 {
		for _, folder := range binFolders {
			folders = append(folders, strings.TrimSuffix(folder, "/"))
		}
	}
	return strings.Join(folders, string(filepath.ListSeparator))
}
