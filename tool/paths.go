package tool

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Within reports whether path is folder or lies below it, by components: /work is
// not above /work-evil. Both must be absolute and resolved.
func Within(folder, path string) bool {
	folder, path = filepath.Clean(folder), filepath.Clean(path)
	if folder == path {
		return true
	}
	if !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	return strings.HasPrefix(path, folder)
}

// components splits a path and drops what says nothing.
func components(path string) []string {
	var list []string
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == filepath.Separator }) {
		if part != "." {
			list = append(list, part)
		}
	}
	return list
}

// SecretPath reports whether a path is known to hold secrets: keys, stores of
// credentials, .env files, histories, browser profiles, environments of processes.
// Give it the path as asked for and as resolved; either may be the telling one.
func SecretPath(path string) bool {
	parts := lowerParts(path)
	for i, name := range parts {
		if secretFolders()[name] && !(i == len(parts)-2 && (strings.HasSuffix(parts[i+1], ".pub") || parts[i+1] == "known_hosts")) {
			return true
		}
		if i > 0 && secretFolders()[parts[i-1]+"/"+name] {
			return true
		}
	}
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	switch {
	case secretFiles()[last], secretEndings()[filepath.Ext(last)]:
		return true
	case last == ".env", last == ".envrc", strings.HasPrefix(last, ".env.") || strings.HasPrefix(last, ".env-") || strings.HasPrefix(last, ".env_"):
		return true
	case strings.HasPrefix(last, "id_") && !strings.Contains(last, "."):
		return strings.HasPrefix(last, "id_rsa") || strings.HasPrefix(last, "id_dsa") || strings.HasPrefix(last, "id_ecdsa") || strings.HasPrefix(last, "id_ed25519")
	case strings.HasSuffix(last, "_history") && strings.HasPrefix(last, "."):
		return true
	case parts[0] == "proc" && (last == "environ" || last == "mem" || last == "kcore"):
		return true
	}
	return len(parts) > 1 && secretFiles()[parts[len(parts)-2]+"/"+last]
}

// secretFolders hold nothing but secrets; a name with a slash is two components.
var secretFolders = set(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".config/gcloud", ".config/gh", ".config/hub", ".config/op",
	"share/keyrings", ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/bravesoftware", ".config/microsoft-edge",
	".config/vivaldi", "library/keychains", "application support/google", "application support/firefox", "chrome/user data", "edge/user data",
	"mozilla/firefox", "microsoft/credentials", "microsoft/protect")

var secretFiles = set(".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".npmrc", ".pypirc", ".dockercfg", ".htpasswd", ".vault-token",
	".terraformrc", "credentials.tfrc.json", ".s3cfg", ".boto", "rclone.conf", "application_default_credentials.json", "credentials.json",
	".docker/config.json", "git/credentials", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", "fish_history", "consolehost_history.txt",
	"etc/shadow", "etc/shadow-", "etc/gshadow", "etc/gshadow-", "etc/sudoers", "secring.gpg", "login.keychain-db", "logins.json", "key4.db", "login data")

var secretEndings = set(".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".kdb", ".ppk")

// ProtectedPath reports whether a change of this path could change what runs
// without being asked later: the product's own files, files that agents, editors
// and git read from a project, shell start-up files. Own names further folders of
// the product, absolute, where its home is not ~/.fairlead. A path is protected
// whether or not it exists. Give it the path as asked for and as resolved.
func ProtectedPath(path string, own ...string) bool {
	for _, folder := range own {
		if Within(folder, path) {
			return true
		}
	}
	parts := lowerParts(path)
	for i, name := range parts {
		if protectedNames()[name] {
			return true
		}
		if i > 0 && protectedNames()[parts[i-1]+"/"+name] {
			return true
		}
		if name == ".git" && protectedInGit(parts[i+1:]) {
			return true
		}
	}
	if len(parts) == 0 {
		return false
	}
	if parts[0] == "etc" {
		return len(parts) > 1 && (protectedInEtc()[parts[1]] || strings.HasPrefix(parts[1], "cron"))
	}
	return strings.HasSuffix(parts[len(parts)-1], "_profile.ps1") || parts[len(parts)-1] == "profile.ps1"
}

// ProtectedIn lists the protected paths directly in a folder, for a sandbox that
// keeps them read-only below a writable folder. They need not exist.
func ProtectedIn(folder string) []string {
	var paths []string
	for _, name := range projectNames {
		paths = append(paths, filepath.Join(folder, filepath.FromSlash(name)))
	}
	return paths
}

// ProtectedAround lists the protected paths outside of projects, for a sandbox whose
// writable folders may hold them: the start-up files of a person's home folder and
// of the system. They need not exist.
func ProtectedAround(home string) []string {
	var paths []string
	if home != "" {
		for _, name := range slices.Concat(homeNames, projectNames) {
			paths = append(paths, filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(protectedInEtc())) {
		paths = append(paths, filepath.Join(string(filepath.Separator)+"etc", name))
	}
	return paths
}

// projectNames are the protected names of a project, as they are usually spelled.
var projectNames = []string{".git/config", ".git/config.worktree", ".git/hooks", ".fairlead", ".vscode", ".idea", ".zed", ".devcontainer", ".mcp.json",
	"AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".claude", ".claude.json", ".codex", ".gemini", ".cursor", ".cursorrules",
	".windsurf", ".windsurfrules", ".clinerules", ".continue", ".github/copilot-instructions.md", ".husky", ".githooks", ".envrc", ".gitmodules"}

// homeNames are those of a home folder.
var homeNames = []string{".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
	".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".pam_environment", ".xprofile", ".xsession", ".xsessionrc", ".xinitrc", ".gitconfig", ".config/git",
	".config/fish", ".config/autostart", ".config/systemd", ".config/environment.d", ".config/powershell", ".ssh", ".gnupg", ".npmrc", ".vimrc", ".config/nvim",
	"library/launchagents", "library/launchdaemons"}

var protectedNames = set(slices.Concat(projectNames, homeNames)...)

var protectedInEtc = set("profile", "profile.d", "bash.bashrc", "bashrc", "zsh", "zshrc", "environment", "ld.so.preload", "ld.so.conf", "ld.so.conf.d",
	"systemd", "sudoers", "sudoers.d", "pam.d", "passwd", "shadow", "group", "gitconfig", "ssh", "xdg")

// protectedInGit judges what follows .git: the file itself where it points
// elsewhere, configs and hooks of it, its modules and its worktrees.
func protectedInGit(rest []string) bool {
	if len(rest) == 0 {
		return true
	}
	for _, name := range rest {
		if name == "hooks" {
			return true
		}
	}
	last := rest[len(rest)-1]
	return last == "config" || last == "config.worktree" || last == "gitdir" || last == "commondir" || last == "attributes"
}

// lowerParts splits a path into components in lower case: a protected file is
// found by other cases too where the file system folds them. Trailing dots and
// blanks and NTFS stream names, which Windows ignores, are cut.
func lowerParts(path string) []string {
	parts := components(strings.ToLower(path))
	for i, p := range parts {
		if stream := strings.IndexByte(p, ':'); stream > 1 {
			p = p[:stream]
		}
		if cut := strings.TrimRight(p, ". "); cut != "" {
			parts[i] = cut
		}
	}
	return parts
}

// set is made when it is first looked into, so that a start does not wait for it.
func set(names ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		s := make(map[string]bool, len(names))
		for _, n := range names {
			s[strings.ToLower(n)] = true
		}
		return s
	})
}
