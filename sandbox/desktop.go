package sandbox

import (
	"os/exec"
	"runtime"

	"fairlead/fault"
)

// desktop are the variables by which a desktop's opener finds the person's session.
var desktop = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "BROWSER",
	"DESKTOP_SESSION", "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "GNOME_DESKTOP_SESSION_ID", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}

// OpenFile has the person's desktop open a file of ours, as a click on it would:
// the only program that is not a child of a session, confined or ended with us,
// because the browser it may start is the person's own. It fails with
// fault.Unavailable where there is no desktop. Secrets do not belong in the name:
// other people on the machine can see it.
func OpenFile(path string, environ func(string) string) error {
	argv := []string{"xdg-open", path}
	switch runtime.GOOS {
	case "darwin":
		argv[0] = "/usr/bin/open"
	case "windows":
		argv = []string{"rundll32", "url.dll,FileProtocolHandler", path}
	default:
		if environ("DISPLAY") == "" && environ("WAYLAND_DISPLAY") == "" {
			return fault.New(fault.Unavailable, "sandbox.open", "There is no desktop here to open the page on.")
		}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{}
	for _, name := range desktop {
		if value := environ(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for _, name := range []string{"RUNTIME_DIR", "CURRENT_DESKTOP", "SESSION_TYPE", "DATA_DIRS", "CONFIG_DIRS", "CONFIG_HOME", "DATA_HOME"} {
		if value := environ("XDG_" + name); value != "" {
			cmd.Env = append(cmd.Env, "XDG_"+name+"="+value)
		}
	}
	if err := cmd.Start(); err != nil {
		return fault.Wrap(fault.Unavailable, "sandbox.open", err, "The page could not be opened by %s.", argv[0])
	}
	go func() {
		_ = cmd.Wait() // leaves no zombie; how the opener ended is between it and the person
	}()
	return nil
}
