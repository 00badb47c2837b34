package proof

import (
	"path/filepath"
	"strings"
	"sync"

	"fairlead/tool"
)

// readable judges a path that a command would read, in every folder that it may
// run in. Glob characters stand for what they may match.
func (j *judgement) readable(path string) error { return j.read(path, true) }

// read judges a path; below says that a folder's content is read through links.
func (j *judgement) read(path string, below bool) error {
	if path == "" || path == "-" {
		return nil
	}
	for _, folder := range j.folders {
		full := absolute(folder, path)
		if err := j.open(full, path); err != nil {
			return err
		}
		j.reads[full] = j.reads[full] || below
	}
	return nil
}

// listable judges a path of which only names are shown. A pattern there lists, it
// does not read; what is named in full is judged as if it were read.
func (j *judgement) listable(path string) error {
	for _, folder := range j.folders {
		full := absolute(folder, path)
		if within(full, "/dev") || within(full, "/sys") || full == "/proc" {
			continue
		}
		named := "/"
		for part := range strings.SplitSeq(full, "/") {
			if !strings.ContainsAny(part, "*?[") {
				named = filepath.Join(named, part)
			}
		}
		if err := j.open(named, path); err != nil {
			return err
		}
		if _, noted := j.reads[full]; !noted {
			j.reads[full] = false // itself is looked at, not what lies below it
		}
	}
	return nil
}

// sweepable judges a path that a command would search for text, below it too: the
// home folder and what contains it hold secrets.
func (j *judgement) sweepable(path string) error {
	if err := j.read(path, false); err != nil {
		return err
	}
	for _, folder := range j.folders {
		full := absolute(folder, path)
		if j.at.Home != "" && within(j.at.Home, full) && full != filepath.Clean(j.at.Folder) {
			return doubtf("it searches through the home folder")
		}
		for _, top := range []string{"/", "/home", "/root", "/etc", "/proc", "/sys", "/dev", "/run", "/var"} {
			if full == top && full != filepath.Clean(j.at.Folder) {
				return doubtf("it searches through %s", top)
			}
		}
		if holdsSecrets(full) {
			return doubtf("%s may hold secrets below it", path)
		}
	}
	return nil
}

// within reports whether path is folder or lies below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// enterable judges a folder that a cd leads to.
func (j *judgement) enterable(full string) error {
	for part := range strings.SplitSeq(full, "/") {
		if part == ".git" {
			return doubtf("it enters a repository's own folder")
		}
	}
	if within(full, "/proc") || within(full, "/dev") || within(full, "/sys") {
		return doubtf("it enters %s", full)
	}
	return j.open(full, full)
}

// open judges one absolute path; shown is how the command wrote it.
func (j *judgement) open(full, shown string) error {
	for _, top := range []string{"/dev", "/proc", "/sys"} {
		if first, _, _ := strings.Cut(full[1:], "/"); strings.ContainsAny(first, "?*[") && meet(first, top[1:]) {
			return doubtf("%s may lead into %s", shown, top)
		}
	}
	switch {
	case full == "/dev/null":
		return nil
	case within(full, "/dev"):
		return doubtf("%s may never end", shown)
	case within(full, "/proc"):
		if !harmlessProc()[full] {
			return doubtf("%s shows other processes", shown)
		}
		return nil
	case within(full, "/sys") && !within(full, "/sys/class") && !within(full, "/sys/devices") && !within(full, "/sys/block") && !within(full, "/sys/fs/cgroup"):
		return doubtf("%s is not known to end", shown)
	}
	secret, seen := j.secrets[full]
	if !seen {
		secret = mayBeSecret(full) || tool.SecretPath(full)
		j.secrets[full] = secret
	}
	if secret {
		return doubtf("%s may hold a secret", shown)
	}
	return nil
}

// harmlessProc are the files of /proc that describe the machine and no process.
var harmlessProc = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"/proc/meminfo": true, "/proc/cpuinfo": true, "/proc/version": true, "/proc/loadavg": true, "/proc/uptime": true,
		"/proc/stat": true, "/proc/vmstat": true, "/proc/swaps": true, "/proc/partitions": true, "/proc/filesystems": true,
		"/proc/diskstats": true, "/proc/mounts": true, "/proc/self/mounts": true, "/proc/self/status": true, "/proc/self/limits": true,
		"/proc/self/mountinfo": true, "/proc/self/cgroup": true, "/proc/sys/kernel/osrelease": true, "/proc/sys/kernel/hostname": true, "/proc/sys/vm/swappiness": true, "/proc/modules": true,
	}
})

// secretNames are names of files and folders that hold secrets, as patterns, since a
// command's word may be a pattern too; a path with one of them as any component is
// secret. For a path known in full [tool.SecretPath] has a say as well.
var secretNames = []string{
	".env", ".env.*", ".envrc", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx", "*.asc", "*.gpg",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "authorized_keys", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".yarnrc*", ".pypirc",
	".git-credentials", ".htpasswd", ".dockercfg", ".vault-token", ".boto", ".s3cfg", "credentials", "credentials.json", "credentials.csv", "credentials.db", "secrets.y*ml", "secrets.json", "secrets.toml",
	"*_history", "*.history", ".lesshst", ".viminfo", "shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "master.passwd",
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", "keyrings", "Keychains", ".fairlead", ".mozilla", ".thunderbird",
	"Cookies", "Login Data", "*.kubeconfig", "kubeconfig", "service-account*.json", "terraform.tfstate*", "*.tfvars",
}

// secretPaths are patterns of whole paths below any folder.
var secretPaths = [][]string{
	{".config", "gcloud"}, {".config", "google-chrome"}, {".config", "chromium"}, {".config", "gh"}, {".config", "hub"}, {".config", "op"}, {".git", "config"}, {".cargo", "credentials*"}, {".gem", "credentials"}, {".m2", "settings*"},
	{"etc", "ssl", "private"}, {"etc", "ssh", "ssh_host_*"}, {"run", "secrets"}, {".local", "share", "keyrings"},
}

// mayBeSecret reports whether a path, or any path that a pattern in it matches,
// is a secret's.
func mayBeSecret(full string) bool {
	parts := strings.Split(strings.TrimPrefix(filepath.ToSlash(full), "/"), "/")
	for i, part := range parts {
		pattern := strings.ContainsAny(part, "*?[")
		for _, name := range secretNames {
			if pattern {
				// A pattern names a secret where it matches the plain name; that *.md might
				// match id_rsa.md makes it no sweep for keys.
				name = strings.TrimSuffix(name, "*")
			}
			if meet(part, name) && !hiddenFrom(part, name) {
				return true
			}
		}
		for _, path := range secretPaths {
			if i+len(path) <= len(parts) && meetAll(parts[i:i+len(path)], path) {
				return true
			}
		}
	}
	return false
}

func meetAll(parts, patterns []string) bool {
	for i, p := range patterns {
		if !meet(parts[i], p) || hiddenFrom(parts[i], p) {
			return false
		}
	}
	return true
}

// hiddenFrom reports whether a glob cannot match a name because the name starts
// with a dot and the glob starts with a wildcard (dotglob is off).
func hiddenFrom(glob, name string) bool {
	return strings.HasPrefix(name, ".") && glob != "" && strings.ContainsRune("*?[", rune(glob[0]))
}

// meet reports whether some text matches both patterns. In a, which a command
// wrote, [ counts as any character; b is one of our own patterns of * and text.
func meet(a, b string) bool {
	if !strings.ContainsAny(a, "*?[") {
		return fits(a, b)
	}
	// tried[i][k] says that a[i:] and b[k:] were compared and do not meet.
	tried := make([]bool, (len(a)+1)*(len(b)+1))
	var walk func(i, k int) bool
	walk = func(i, k int) bool {
		if tried[i*(len(b)+1)+k] {
			return false
		}
		tried[i*(len(b)+1)+k] = true
		switch {
		case i == len(a) && k == len(b):
			return true
		case i < len(a) && a[i] == '*':
			return walk(i+1, k) || k < len(b) && walk(i, k+1)
		case k < len(b) && b[k] == '*':
			return walk(i, k+1) || i < len(a) && walk(next(a, i), k)
		case i == len(a) || k == len(b):
			return false
		case a[i] == '?' || a[i] == '[' || lower(a[i]) == lower(b[k]):
			return walk(next(a, i), k+1)
		}
		return false
	}
	return walk(0, 0)
}

// fits reports whether a plain name matches one of our patterns. They hold at most
// two stars, so taking each piece at its first place is right.
func fits(name, pattern string) bool {
	front, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return strings.EqualFold(name, pattern)
	}
	if len(name) < len(front) || !strings.EqualFold(name[:len(front)], front) {
		return false
	}
	name = name[len(front):]
	for {
		middle, after, more := strings.Cut(rest, "*")
		if !more {
			return len(name) >= len(rest) && strings.EqualFold(name[len(name)-len(rest):], rest)
		}
		i := indexFold(name, middle)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(middle):], after
	}
}

func indexFold(s, part string) int {
	for i := 0; i+len(part) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// next steps over one character of a command's pattern, over a whole [class].
func next(a string, i int) int {
	if a[i] == '[' {
		if end := strings.IndexByte(a[i+1:], ']'); end > 0 {
			return i + 1 + end + 1
		}
	}
	return i + 1
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// holdsSecrets reports whether a folder ends as the beginning of a secret path, so
// that a search through it comes to the secret.
func holdsSecrets(full string) bool {
	parts := strings.Split(strings.TrimPrefix(full, "/"), "/")
	for _, path := range secretPaths {
		for n := 1; n < len(path); n++ {
			if i := len(parts) - n; i >= 0 && path[0] != "run" && path[0] != "etc" && meetAll(parts[i:], path[:n]) {
				return true
			}
		}
	}
	return false
}
