package tool_test

import (
	"testing"

	"fairlead/tool"
)

func TestWithinComparesComponents(t *testing.T) {
	for _, c := range []struct {
		folder, path string
		want         bool
	}{
		{"/work", "/work", true},
		{"/work", "/work/a", true},
		{"/work/", "/work/a/b", true},
		{"/work", "/work-evil/a", false},
		{"/work", "/work/../etc", false},
		{"/work/a", "/work", false},
		{"/", "/etc/passwd", true},
	} {
		if got := tool.Within(c.folder, c.path); got != c.want {
			t.Errorf("Within(%s, %s) = %t", c.folder, c.path, got)
		}
	}
}

func TestSecretFilesAreKnown(t *testing.T) {
	for _, path := range []string{
		"/home/p/.ssh/id_rsa", "/root/.ssh/config", "/home/p/.ssh", "/w/id_ed25519", "/w/.env", "/w/a/.env.production", "/w/.ENV", "/w/.envrc", "/w/deploy.pem", "/w/tls/server.key",
		"/home/p/.docker/config.json", "/home/p/.git-credentials", "/home/p/.kube/config", "/home/p/.pgpass", "/home/p/.bash_history", "/home/p/.zsh_history",
		"/home/p/.aws/credentials", "/home/p/.config/gcloud/credentials.db", "/home/p/.config/gh/hosts.yml", "/home/p/.netrc", "/home/p/.gnupg/secring.gpg",
		"/etc/shadow", "/proc/self/environ", "/proc/1/environ", "/proc/12/mem", "/home/p/.mozilla/firefox/x/logins.json", "/home/p/.config/chromium/Default/Cookies",
		"/home/p/.fairlead/credentials.json", "/home/p/.npmrc", "/w/.env.", "/home/p/.local/share/keyrings/login.keyring", "/home/p/.local/share/fish/fish_history",
	} {
		if !tool.SecretPath(path) {
			t.Errorf("%s is not known as secret", path)
		}
	}
	for _, path := range []string{
		"/w/main.go", "/w/environment.ts", "/w/.environ/x", "/w/keys.go", "/w/id_card.txt", "/home/p/.ssh/id_rsa.pub", "/home/p/.ssh/known_hosts", "/w/history.md",
		"/w/config.json", "/etc/passwd", "/w/docs/secrets.md", "/w/.gitignore", "/", "",
	} {
		if tool.SecretPath(path) {
			t.Errorf("%s is taken for a secret", path)
		}
	}
}

func TestProtectedFilesAreKnown(t *testing.T) {
	for _, path := range []string{
		"/w/.git/config", "/w/.git/hooks/pre-commit", "/w/.git", "/w/sub/.git/modules/x/config", "/w/.git/worktrees/y/config.worktree", "/w/.GIT/Config",
		"/w/AGENTS.md", "/w/sub/agents.md", "/w/CLAUDE.md", "/w/.vscode/tasks.json", "/w/.mcp.json", "/w/.github/copilot-instructions.md", "/w/.husky/pre-commit",
		"/w/.fairlead/patch.yaml", "/home/p/.fairlead/plugins/x.js", "/home/p/.bashrc", "/home/p/.config/fish/config.fish", "/home/p/.ssh/authorized_keys", "/home/p/.gitconfig",
		"/etc/profile.d/x.sh", "/etc/cron.d/x", "/w/.envrc", "/w/.mcp.json.", "/w/.bashrc::$DATA", "/w/.claude/settings.json",
	} {
		if !tool.ProtectedPath(path) {
			t.Errorf("%s is not known as protected", path)
		}
	}
	for _, path := range []string{"/w/main.go", "/w/.gitignore", "/w/.github/workflows/ci.yml", "/w/.git/HEAD", "/w/README.md", "/w/hooks/use.ts", "/etc/hosts", "/w/config", "/"} {
		if tool.ProtectedPath(path) {
			t.Errorf("%s is taken for protected", path)
		}
	}
	if !tool.ProtectedPath("/srv/lead/rules.yaml", "/srv/lead") || tool.ProtectedPath("/srv/leader/x", "/srv/lead") {
		t.Error("the product's own folder is not compared by components")
	}
	for _, path := range tool.ProtectedIn("/w") {
		if !tool.ProtectedPath(path) {
			t.Errorf("%s is kept read-only in a sandbox and not protected from file tools", path)
		}
	}
}
