package permission

import (
	"context"

	"fairlead/permission/proof"
	"fairlead/tool"
)

// LookOnly is the [Proof] of commands: by their text, by where the paths they name
// lead, and where they run git by the settings of the repository that it will find. Personal is the person's home
// folder, absolute.
func LookOnly(personal string) Proof {
	return func(_ context.Context, cmd tool.Command) string {
		at := proof.Place{Folder: cmd.Dir, Home: personal}
		judge := proof.Bash
		if cmd.Shell == "powershell" {
			judge = proof.PowerShell
		}
		v := judge(cmd.Text, at)
		if !v.Looks || v.OnDisk(at) != nil {
			return ""
		}
		return "proved to only look"
	}
}
