package command

import (
	"context"
	"maps"
	"slices"

	"fairlead/graph"
)

// offered gathers what is registered. Registrations are its listeners, so they are
// seen in the realm of their fiber and below, and leave with the fiber.
var offered = graph.NewNotify[*offers]("command.offered", "gathers the commands and views that can be used in a realm")

type offers struct {
	commands map[string]Command
	views    map[string]View
}

// Register offers commands in f's realm and the realms below it, as long as f
// runs. Of two with one name the one nearer to the caller's realm counts.
func Register(f *graph.Fiber, commands ...Command) {
	offered.On(f, func(_ context.Context, o *offers) {
		for _, c := range commands {
			o.commands[c.Name] = c
		}
	})
}

// RegisterViews offers views in the same way.
func RegisterViews(f *graph.Fiber, views ...View) {
	offered.On(f, func(_ context.Context, o *offers) {
		for _, v := range views {
			o.views[v.Name] = v
		}
	})
}

func gather(ctx context.Context, r *graph.Realm) *offers {
	o := &offers{commands: map[string]Command{}, views: map[string]View{}}
	offered.Emit(ctx, r, o)
	return o
}

// Commands lists what can be done in a realm, by name.
func Commands(ctx context.Context, r *graph.Realm) []Command {
	o := gather(ctx, r)
	list := make([]Command, 0, len(o.commands))
	for _, name := range slices.Sorted(maps.Keys(o.commands)) {
		list = append(list, o.commands[name])
	}
	return list
}

// Find gives a command by its name, or by its slash name.
func Find(ctx context.Context, r *graph.Realm, name string) (Command, bool) {
	o := gather(ctx, r)
	if c, ok := o.commands[name]; ok {
		return c, true
	}
	for _, at := range slices.Sorted(maps.Keys(o.commands)) {
		if c := o.commands[at]; c.Slash != "" && c.Slash == name {
			return c, true
		}
	}
	return Command{}, false
}

// Views lists the states that can be read in a realm, by name.
func Views(ctx context.Context, r *graph.Realm) []View {
	o := gather(ctx, r)
	list := make([]View, 0, len(o.views))
	for _, name := range slices.Sorted(maps.Keys(o.views)) {
		list = append(list, o.views[name])
	}
	return list
}

// FindView gives a view by its name.
func FindView(ctx context.Context, r *graph.Realm, name string) (View, bool) {
	v, ok := gather(ctx, r).views[name]
	return v, ok
}
