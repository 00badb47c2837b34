package permission

import (
	"slices"

	"fairlead/permission/proof"
	"fairlead/sandbox"
	"fairlead/tool"
)

// facts are what the gate knows of a call: worked out by our own code from the
// tool, the resolved paths and the command, never from words of the model.
type facts struct {
	looks bool // the tool's own code says that this call only looks
	// delegates: the call hands its work to somebody outside; present: a person can be asked.
	delegates, present bool
	command            bool         // it has a shell run something
	cmd                tool.Command // what
	proved             string       // why the command is proved look-only; "" where it is not
	changes            []string     // the resolved files it would change, as far as the tool names them
	secret             string       // the secret file it would read
	grave              string       // the protected path it would change
	web                *outbound    // what it would send to the web; nil for nothing
}

// walls is what this machine and this session give to confine children.
type walls struct {
	confines bool     // files and network can both be cut off
	files    bool     // writes can be confined
	write    []string // the workspace and what the person added
	deny     []string // protected paths
	path     string   // the PATH of this process
}

// Words the model reads when a mode refuses.
const (
	planRefusal = "Plan mode is on: nothing may be changed and this call was not run. Go on looking, and describe the change in your plan; " +
		"the person can switch to another mode."
	nobodyRefusal = "Nobody is here to approve this, so it was not run. Find a way that needs no approval, or say what is left to do."
)

// judge is the whole policy. Everything that is not listed asks in Manual, is
// refused in Plan.
//
//	                      Manual          Plan        Bypass
//	protected path        ask, loud       refused     ask, loud
//	secret file, read     ask             ask         allowed
//	only looks            allowed         allowed     allowed
//	looks, delegated      ask             allowed¹    allowed
//	command, proved       allowed         allowed     allowed
//	command               ask             refused     allowed
//	anything else         ask             refused     allowed
//
// ¹ with a person there; refused where nobody is.
//
// What reaches the web has a table of its own, see judgeWeb.
func judge(mode Mode, f facts, w walls) tool.Verdict {
	open := w.open()
	switch {
	case f.grave != "" && mode == Plan:
		return refused(f.grave)
	case f.grave != "":
		v := tool.Verdict{Decision: tool.Ask, Grave: f.grave, Reason: "protected path", Policy: w.workspace()}
		if mode == Bypass {
			v.Policy = open
		}
		return v
	case f.web != nil:
		return judgeWeb(mode, f.web, w)
	case mode == Bypass:
		return tool.Verdict{Decision: tool.Allow, By: "mode", Reason: "Bypass", Policy: open}
	case f.secret != "":
		return tool.Verdict{Decision: tool.Ask, Reason: "secret file", Facts: []tool.Fact{{Key: "card.secret", Values: map[string]any{"path": f.secret}, Warn: true}}}
	case f.command && f.proved != "" && w.confines:
		return tool.Verdict{Decision: tool.Allow, By: "proof", Reason: f.proved, Env: proof.UnaskedEnv(w.path, append(slices.Clone(w.write), f.cmd.Dir)...)}
	case f.looks && f.delegates && mode == Plan && !f.present:
		return tool.Verdict{Decision: tool.Deny, DeniedBy: byNobody, Reason: "nobody is here", Model: nobodyRefusal}
	case f.looks && f.delegates && mode != Plan:
		return tool.Verdict{Decision: tool.Ask, Reason: "hands work to somebody outside"}
	case f.looks && !f.command:
		return tool.Verdict{Decision: tool.Allow, By: "tool", Reason: "only looks"}
	case mode == Plan:
		return refused("Plan")
	}
	v := tool.Verdict{Decision: tool.Ask, Reason: "could change something", Policy: w.workspace()}
	if f.command {
		v.Facts = append(v.Facts, tool.Fact{Key: "card.network-open"})
		if !w.files {
			v.Facts = append(v.Facts, tool.Fact{Key: "card.no-sandbox", Warn: true})
		}
	}
	return v
}

// stricter takes in what another listener says of a call: it may turn a yes into a
// question or a no, never the other way, and never changes the confinement.
func stricter(mine, other tool.Verdict) tool.Verdict {
	rank := map[tool.Decision]int{tool.Allow: 1, tool.Ask: 2, tool.Deny: 3}
	if rank[other.Decision] <= rank[mine.Decision] {
		return mine
	}
	other.Policy = mine.Policy
	return other
}

func refused(reason string) tool.Verdict {
	return tool.Verdict{Decision: tool.Deny, DeniedBy: "mode", Reason: reason, Model: planRefusal}
}

// workspace is the confinement of an approved child: it may change the workspace,
// and the network is open, as its card says.
func (w walls) workspace() sandbox.Policy {
	if !w.files {
		return sandbox.Policy{Network: true, Unconfined: true}
	}
	deny := slices.DeleteFunc(slices.Clone(w.deny), func(path string) bool {
		return !slices.ContainsFunc(w.write, func(folder string) bool { return tool.Within(folder, path) })
	})
	return sandbox.Policy{Write: w.write, Deny: deny, Network: true}
}

// open is the confinement of Bypass: everything but the protected paths.
func (w walls) open() sandbox.Policy {
	if !w.files {
		return sandbox.Policy{Network: true, Unconfined: true}
	}
	return sandbox.Policy{Write: []string{"/"}, Deny: w.deny, Network: true}
}
