package app

import (
	"log/slog"
	"slices"

	"fairlead/agent"
	"fairlead/config"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

// plugins is the table of everything a row may name.
func (a *App) plugins() (config.Table, error) {
	o := a.options
	return config.NewTable(slices.Concat([]graph.Plugin{
		store.Plugin(a.home.Sessions()),
		session.Plugin(session.Options{Kinds: kinds(), Projections: projections(), Version: o.Version}),
		llm.Plugin(),
		connections(a.client, o.Environ),
		environmentConnections(a.client, o.Environ),
		tool.Plugin(),
	}, agent.Plugins())...)
}

// kinds are all event kinds of this build.
func kinds() session.KindTable {
	return session.NewKindTable(session.Kinds(), tool.Kinds())
}

// projections are all folds of this build, beside the library's own.
func projections() []session.AnyProjection {
	return slices.Concat(agent.Projections())
}

// Sessions opens the sessions of a home folder for verbs that only look. Nothing is
// started and nothing is made.
func Sessions(home string, log *slog.Logger) (*session.Library, error) {
	files := store.New(store.Options{Dir: Home(home).Sessions(), Log: log})
	return session.NewLibrary(session.Options{Store: files, Kinds: kinds(), Projections: projections(), Log: log}), nil
}
