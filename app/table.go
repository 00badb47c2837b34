package app

import (
	"log/slog"
	"runtime"
	"slices"

	"fairlead/agent"
	"fairlead/catalog"
	"fairlead/config"
	"fairlead/extension"
	"fairlead/external"
	"fairlead/fault"
	"fairlead/goal"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/mcp"
	"fairlead/permission"
	"fairlead/ptc"
	"fairlead/sandbox"
	"fairlead/script"
	"fairlead/server"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/skill"
	"fairlead/store"
	"fairlead/subagent"
	"fairlead/task"
	"fairlead/tool"
	"fairlead/toolbox"
	"fairlead/turnguard"
	"fairlead/undo"
	"fairlead/web"
	"fairlead/window"
)

// plugins is the table of everything a row may name.
func (a *App) plugins() (config.Table, error) {
	o, mark := a.options, permission.NewMark()
	a.dial = &dialer{client: a.client, secret: a.secret}
	own := skill.Options{Home: string(a.home), Personal: o.Environ("HOME")}
	return config.NewTable(slices.Concat([]graph.Plugin{
		store.Plugin(a.home.Sessions()),
		session.Plugin(session.Options{Kinds: kinds(), Projections: projections(mark), Version: o.Version}),
		catalog.Plugin(a.home.Catalog()),
		catalog.PricesPlugin(),
		retention(),
		mcp.Plugin(mcp.Options{Trust: a.home.Trust(), Dir: o.Environ("HOME"), Own: []string{string(a.home)}, Client: a.client, Secret: a.secret, Version: o.Version}),
		llm.Plugin(),
		agent.Titles(),
		a.dial.rows(),
		a.dial.environment(),
		a.dial.saved(a.redactor, o.Environ),
		localServers(a.client),
		demo(),
		settings.Plugin(settings.CredentialOptions{Home: string(a.home), Environ: o.Environ, Keyring: keyring(o.Environ), Redactor: a.redactor}),
		a.inspection(),
		config.PresetsPlugin(a.presets),
		sandbox.Plugin(sandbox.Options{Env: o.Env, Home: string(a.home)}),
		script.Plugin(script.Options{Cache: a.home.Compiled()}),
		tool.Plugin(),
		skill.Hooks(own),
		tool.RarePlugin(),
		ptc.Plugin(),
		extension.Plugin(),
		extension.PluginsPlugin(a.home.Plugins()),
		external.Plugin(external.Options{Dir: a.home.External(), Own: []string{string(a.home)}, Personal: o.Environ("HOME"), Environ: o.Environ}),
		toolbox.SwitchesPlugin(),
		toolbox.ShellPlugin(),
		toolbox.FilesPlugin(),
		toolbox.TodoPlugin(),
		toolbox.LanguagePlugin(),
		undo.Plugin(),
		skill.Instructions(own),
		skill.Skills(own),
		window.Plugin(),
		subagent.Plugin(),
		task.Plugin(task.NewFolder(a.home.Tasks())),
		toolbox.ConsultPlugin(),
		permission.Plugin(permission.Options{Mark: mark, Own: []string{string(a.home)}, Personal: o.Environ("HOME"), Path: o.Environ("PATH"), Proof: permission.LookOnly(o.Environ("HOME")), Rules: permission.NewRules(a.home.Rules()), Trust: permission.NewTrustFile(a.home.Trust())}),
		server.Plugin(server.Options{Version: o.Version, Profile: o.Profile, Devices: a.home.Devices(), Inventory: func() []graph.Status { return a.inventory(a.graph.Inventory()) }}),
	}, agent.Plugins(), goal.Plugins(goal.Options{Mark: string(mark)}), turnguard.Plugins(), web.Plugins(web.Options{Network: o.Web, Secret: a.secret}))...)
}

// secret reads a credential: from the environment, or where it was saved under that
// name. The redactor learns it. "" is none.
func (a *App) secret(name string) string {
	if v := a.options.Environ(name); v != "" {
		a.redactor.Know(name, v)
		return v
	}
	saved, ok := graph.Lookup(a.graph.Root().Realm(), settings.CredentialsKey)
	if !ok {
		return ""
	}
	v, _, err := saved.Get(a.follow, name)
	if err != nil && !fault.Is(err, fault.NotFound) {
		a.options.Log.Error("a saved key cannot be read", "name", name, "error", err)
	}
	return v
}

// keyring is the system's, where there is one that can be asked without starting
// programs.
func keyring(environ func(string) string) settings.Keyring {
	if runtime.GOOS == "linux" && environ("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil
	}
	return settings.SystemKeyring()
}

// kinds are all event kinds of this build.
func kinds() session.KindTable {
	return session.NewKindTable(
		session.Kinds(),
		tool.Kinds(),
		permission.Kinds(),
		toolbox.Kinds(), extension.Kinds(), external.Kinds(),
		turnguard.Kinds(),
		undo.Kinds(),
		skill.Kinds(),
		window.Kinds(),
		task.Kinds(),
		subagent.Kinds(),
		goal.Kinds(),
	)
}

// projections are all folds of this build, beside the library's own, as a process
// with this mark shows them.
func projections(mark permission.Mark) []session.AnyProjection {
	return slices.Concat(
		agent.Projections(),
		tool.Projections(),
		permission.Projections(mark),
		mcp.Projections(),
		external.Projections(),
		toolbox.Projections(),
		turnguard.Projections(),
		undo.Projections(),
		skill.Projections(),
		window.Projections(),
		subagent.Projections(),
		goal.Projections(string(mark)),
	)
}

// Sessions opens the sessions of a home folder for verbs that only look. Nothing is
// started and nothing is made.
func Sessions(home string, log *slog.Logger) (*session.Library, error) {
	files := store.New(store.Options{Dir: Home(home).Sessions(), Log: log})
	return session.NewLibrary(session.Options{Store: files, Kinds: kinds(), Projections: projections(permission.NewMark()), Log: log}), nil
}
