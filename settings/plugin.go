package settings

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"fairlead/graph"
)

// The services of this room.
var (
	DocumentKey    = graph.NewKey[*Document]("settings.document", "What the person decided, by section.")
	CredentialsKey = graph.NewKey[*Credentials]("settings.credentials", "The keys of model providers.")
	RedactorKey    = graph.NewKey[*Redactor]("settings.redactor", "Takes secrets out of text.")
)

// Changed is told after the settings changed, by a front door or in an editor.
var Changed = graph.NewNotify[Change]("settings.changed", "The settings document has another content; the change names the sections that differ.")

// every is how often an edit in an editor is looked for.
const every = 500 * time.Millisecond

// Plugin provides the settings, the credentials and the redactor. What it is given
// says where credentials are looked for, and Home is the folder of both files.
func Plugin(o CredentialOptions) graph.Plugin {
	return graph.Plugin{
		Name:     "settings",
		Doc:      "the person's settings, the keys of model providers, and what takes secrets out of text",
		Provides: []graph.AnyKey{DocumentKey, CredentialsKey, RedactorKey},
		Apply: func(f *graph.Fiber, _ any) error {
			o := o
			o.Log = f.Log()
			credentials, err := OpenCredentials(o)
			if err != nil {
				return err
			}
			document, err := Open(Options{
				File:    filepath.Join(o.Home, "settings.yaml"),
				Secret:  credentials.Redactor().Secret,
				Changed: func(c Change) { Changed.Emit(f.Context(), f.Realm(), c) },
				Log:     f.Log(),
			})
			if err != nil {
				return err
			}
			var following sync.WaitGroup
			ctx := f.Context()
			following.Go(func() { document.Follow(ctx, every) })
			f.Effect("follows settings.yaml", func(context.Context) error { following.Wait(); return nil })
			doors(f, document, credentials)
			if err := graph.Provide(f, RedactorKey, credentials.Redactor()); err != nil {
				return err
			}
			if err := graph.Provide(f, CredentialsKey, credentials); err != nil {
				return err
			}
			return graph.Provide(f, DocumentKey, document)
		},
	}
}
