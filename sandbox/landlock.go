//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"fairlead/fault"
)

// Landlock is the first wall: whatever the mounts allow, the kernel refuses every
// change outside the rules, hides other processes' memory and environment, and
// refuses to mount.

// landlockABI asks the kernel; 0 is none.
func landlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

const (
	changeFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	changeTree = changeFile | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// rights are all changes that a version knows, of a file and of a folder.
func rights(abi int) (file, tree uint64) {
	file, tree = changeFile, changeTree
	if abi >= 2 {
		tree |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		file |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
		tree |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	return file, tree
}

// devices a program may write to whatever its policy says; what is written there goes nowhere.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}

// landlock makes the rules of a policy: changes below the writable paths and on
// the devices only. A file of rules is inherited by the child that restricts itself.
func landlock(abi int, writable, devices []string, policy Policy) (*os.File, error) {
	file, tree := rights(abi)
	attr := unix.LandlockRulesetAttr{Handled_access_fs: tree}
	size := unsafe.Offsetof(attr.Handled_access_net) // what every version knows
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL
		if !policy.Wide() {
			attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		}
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fault.Wrap(fault.Unavailable, "sandbox.landlock", errno, "The kernel refused to make the child's limits. Nothing was started.")
	}
	rules := os.NewFile(fd, "landlock")
	for _, path := range slices.Concat(writable, devices) {
		if err := allow(rules, path, file, tree); err != nil {
			rules.Close()
			return nil, err
		}
	}
	return rules, nil
}

// allow adds a rule for a path, or none where it is not there.
func allow(rules *os.File, path string, file, tree uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return nil
	}
	if err == nil {
		defer unix.Close(fd)
		var stat unix.Stat_t
		if err = unix.Fstat(fd, &stat); err == nil {
			access := tree
			if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
				access = file
			}
			rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
			_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
			if errno == 0 {
				return nil
			}
			err = errno
		}
	}
	return fault.Wrap(fault.Unavailable, "sandbox.landlock", err, "The kernel refused the limits for %s. Nothing was started.", path)
}

// allowOwn adds the rules for what the child mounted for itself.
func (l *listing) allowOwn(mounts []ownMount) {
	for _, m := range mounts {
		open := l.try("", unix.SYS_OPENAT, here, l.text(m.path), unix.O_PATH|unix.O_CLOEXEC, 0)
		l.code[open].into = cell{addr: m.rule + 8}
		l.try("", unix.SYS_LANDLOCK_ADD_RULE, rulesetFile, unix.LANDLOCK_RULE_PATH_BENEATH, m.rule, 0)
	}
}
