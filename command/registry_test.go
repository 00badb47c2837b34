package command_test

import (
	"context"
	"slices"
	"testing"

	"fairlead/command"
	"fairlead/graph"
)

// offering is a plugin that registers what it is given.
func offering(name string, commands []command.Command, views []command.View) graph.Plugin {
	return graph.Plugin{Name: name, Apply: func(f *graph.Fiber, _ any) error {
		command.Register(f, commands...)
		command.RegisterViews(f, views...)
		return nil
	}}
}

func plug(t *testing.T, at *graph.Fiber, id string, p graph.Plugin) *graph.Fiber {
	t.Helper()
	f, err := at.Plug(id, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(ctx context.Context, r *graph.Realm) []string {
	var list []string
	for _, c := range command.Commands(ctx, r) {
		list = append(list, c.Name+"/"+c.Summary)
	}
	for _, v := range command.Views(ctx, r) {
		list = append(list, v.Name+"/"+v.Summary)
	}
	return list
}

func TestCommandsAreSeenInTheirRealmAndBelowAndLeaveWithTheirFiber(t *testing.T) {
	ctx := t.Context()
	g := graph.New(graph.Options{})
	defer func() {
		if err := g.Close(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	}()
	realm, err := g.Root().Isolate("session")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	plug(t, g.Root(), "outer", offering("outer", []command.Command{{Name: "stop", Summary: "outer"}, {Name: "compact", Slash: "c", Summary: "outer"}},
		[]command.View{{Name: "tools", Summary: "outer"}}))
	inner := plug(t, realm, "inner", offering("inner", []command.Command{{Name: "stop", Summary: "inner"}}, []command.View{{Name: "plan", Summary: "inner"}}))
	if err := g.Settle(ctx); err != nil {
		t.Fatal(err)
	}

	if got, want := names(ctx, g.Root().Realm()), []string{"compact/outer", "stop/outer", "tools/outer"}; !slices.Equal(got, want) {
		t.Errorf("the root sees %v, want %v", got, want)
	}
	if got, want := names(ctx, realm.Realm()), []string{"compact/outer", "stop/inner", "plan/inner", "tools/outer"}; !slices.Equal(got, want) {
		t.Errorf("the session sees %v, want %v", got, want)
	}
	if c, ok := command.Find(ctx, realm.Realm(), "c"); !ok || c.Name != "compact" {
		t.Errorf("the slash name c finds %q, %t", c.Name, ok)
	}
	if _, ok := command.FindView(ctx, g.Root().Realm(), "plan"); ok {
		t.Error("a session's view is seen outside it")
	}

	if err := inner.Dispose(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := names(ctx, realm.Realm()), []string{"compact/outer", "stop/outer", "tools/outer"}; !slices.Equal(got, want) {
		t.Errorf("after the inner plugin left the session sees %v, want %v", got, want)
	}
}
