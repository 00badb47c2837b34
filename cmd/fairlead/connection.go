package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/fault"
	"fairlead/llm"
)

func connectionVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{Use: "connection", Short: "The saved ways to servers of models", Args: c.verbOnly, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(c.connectionList(), c.connectionChange("add", "Save a connection"), c.connectionChange("edit", "Change a saved connection; what is not named stays"), c.connectionTest(), c.connectionRemove())
	return cmd
}

// connections starts the part of the product that knows the connections.
func (c *console) connections(ctx context.Context) (*app.App, error) {
	o, err := c.modelOptions()
	if err != nil {
		return nil, err
	}
	return app.Connections(ctx, o)
}

func (c *console) modelOptions() (app.Options, error) {
	home, err := c.home()
	return app.Options{Home: home, Profile: "headless", Environ: c.environ, Env: os.Environ(), Version: fullVersion(), Log: c.log()}, err
}

// withConnections does something with the connections and prints its answer.
func (c *console) withConnections(ctx context.Context, do func(*app.App) error) error {
	a, err := c.connections(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(a), a.Close(context.WithoutCancel(ctx)))
}

func (c *console) connectionList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the connections, with where each key is", Args: noArguments("connection list"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withConnections(cmd.Context(), func(a *app.App) error {
				rows, err := app.ConnectionsOf(cmd.Context(), a)
				if err != nil {
					return err
				}
				if asJSON {
					return c.json(map[string]any{"connections": rows})
				}
				return c.printConnections(rows)
			})
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) printConnections(rows []app.ConnectionRow) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(c.out, "No connections. Save one with fairlead connection add NAME --base-url URL; local servers are found by themselves.")
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		key := "no key"
		if r.Key != nil {
			key = fmt.Sprintf("key %s (%s)", r.Key.Name, r.Key.Source)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, r.BaseURL, r.Wire, key, strings.Join(r.Models, ", "), "from "+r.From)
		if r.Problem != "" {
			fmt.Fprintf(w, "\tnot used: %s\n", r.Problem)
		}
	}
	return w.Flush()
}

func (c *console) connectionChange(verb, short string) *cobra.Command {
	var baseURL, wire, dialect, keyEnv, standard string
	var models []string
	var key, prefer bool
	cmd := &cobra.Command{Use: verb + " NAME", Short: short, Args: oneName("connection " + verb),
		RunE: func(cmd *cobra.Command, args []string) error {
			change := app.ConnectionChange{Name: args[0], Prefer: prefer}
			set := cmd.Flags().Changed
			for name, field := range map[string]struct {
				value *string
				into  **string
			}{"base-url": {&baseURL, &change.BaseURL}, "wire": {&wire, &change.Wire}, "dialect": {&dialect, &change.Dialect}, "key-env": {&keyEnv, &change.KeyEnv}, "default": {&standard, &change.Default}} {
				if set(name) {
					*field.into = field.value
				}
			}
			if set("model") {
				change.Models = &models
			}
			if verb == "add" && baseURL == "" {
				return usage("A connection needs the address of its server. Nothing was saved; give one with --base-url.")
			}
			if key && keyEnv != "" {
				return usage("--key and --key-env each give a key. Nothing was saved; give one of them.")
			}
			if key {
				secret, err := c.secret("Key of " + args[0] + ": ")
				if err != nil {
					return err
				}
				change.Key = &secret
			}
			return c.withConnections(cmd.Context(), func(a *app.App) error {
				answer, err := a.Do(cmd.Context(), "connection."+verb, change)
				if err != nil {
					return err
				}
				row, _ := answer.(app.ConnectionRow)
				return c.printSaved(row)
			})
		}}
	v := cmd.Flags()
	v.StringVar(&baseURL, "base-url", "", "the `address` up to and including the version, such as http://127.0.0.1:8080/v1")
	v.StringVar(&wire, "wire", "", "the `format` that the server speaks: chat, responses or anthropic")
	v.StringVar(&dialect, "dialect", "", "what the server `is`: openai, deepseek, openrouter, anthropic, llama.cpp, vllm, lmstudio, ollama")
	v.StringVar(&keyEnv, "key-env", "", "the `name` of the environment variable that holds the key")
	v.BoolVar(&key, "key", false, "ask for the key, unseen, or read it as one line of stdin; it is kept in the system's keyring, or in a file of yours alone")
	v.StringArrayVar(&models, "model", nil, "the `id` of a model to list; may be repeated")
	v.StringVar(&standard, "default", "", "the `id` of the model to take where none is chosen")
	v.BoolVar(&prefer, "prefer", false, "make that model the default of the whole product")
	return cmd
}

// printSaved says what was saved, and where its key is.
func (c *console) printSaved(r app.ConnectionRow) error {
	fmt.Fprintf(c.out, "The connection %s is saved.", r.Name)
	if r.Key != nil {
		where := map[string]string{
			"environment": "Its key is the environment variable " + r.Key.Name + ".",
			"keyring":     "Its key is in the system's keyring.",
			"file":        "Its key is in credentials.json of the home folder, a file that only you can read; there is no keyring here.",
			"missing":     "Its key " + r.Key.Name + " is not set; set the environment variable of that name.",
		}
		fmt.Fprint(c.out, " "+where[r.Key.Source])
	}
	_, err := fmt.Fprintln(c.out, " Try it with fairlead connection test "+r.Name+".")
	return err
}

func (c *console) connectionTest() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "test NAME", Short: "Ask the server of a connection for its models", Args: oneName("connection test"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withConnections(cmd.Context(), func(a *app.App) error {
				answer, err := a.Do(cmd.Context(), "connection.test", app.ConnectionChange{Name: args[0]})
				if err != nil {
					return err
				}
				t, _ := answer.(app.Tested)
				if asJSON {
					err = c.json(t)
				} else if t.OK {
					_, err = fmt.Fprintf(c.out, "The server answers (%d ms) and lists %s.\n", t.Millis, listed(t.Models))
				}
				if err != nil || t.OK {
					return err
				}
				if !asJSON {
					fmt.Fprintf(c.err, "fairlead: %s\n  %s\n", t.Text, t.Details)
				}
				return &exit{code: exitModel}
			})
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// listed names the first models of a list.
func listed(models []llm.Model) string {
	const shown = 8
	var ids []string
	for _, m := range models[:min(shown, len(models))] {
		ids = append(ids, m.ID)
	}
	switch {
	case len(models) == 0:
		return "no model"
	case len(models) > shown:
		return fmt.Sprintf("%d models: %s, …", len(models), strings.Join(ids, ", "))
	}
	return strings.Join(ids, ", ")
}

func (c *console) connectionRemove() *cobra.Command {
	return &cobra.Command{Use: "remove NAME", Short: "Remove a saved connection, with its saved key", Args: oneName("connection remove"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withConnections(cmd.Context(), func(a *app.App) error {
				if _, err := a.Do(cmd.Context(), "connection.remove", app.ConnectionChange{Name: args[0]}); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.out, "The connection %s and its saved key were removed.\n", args[0])
				return err
			})
		}}
}

// oneName takes exactly one argument, a name.
func oneName(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s takes one name. Nothing was changed; see fairlead connection list.", verb)
		}
		return nil
	}
}

// secret reads a key: unseen where a person sits at stdin, else one line of it. It is
// never an argument, which every process of the machine could read.
func (c *console) secret(prompt string) (string, error) {
	var line string
	var err error
	if f, ok := c.in.(*os.File); ok && terminal(c.in) {
		fmt.Fprint(c.err, prompt)
		line, err = readUnseen(f)
		fmt.Fprintln(c.err)
	} else {
		line, err = bufio.NewReader(c.in).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return "", fault.Wrap(fault.Invalid, "connection.key", err, "The key could not be read. Nothing was saved.")
	}
	if line = strings.TrimSpace(line); line == "" {
		return "", usage("No key was given. Nothing was saved; type it, or pass it through stdin.")
	}
	return line, nil
}

func modelsVerb(c *console) *cobra.Command {
	var probe, asJSON bool
	cmd := &cobra.Command{Use: "models", Short: "List connections, local servers and models, with what each can do", Args: noArguments("models"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := c.modelOptions()
			if err != nil {
				return err
			}
			list, err := app.Models(cmd.Context(), o, probe)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.out).Encode(map[string]any{"connections": list})
			}
			return c.printModels(list)
		}}
	cmd.Flags().BoolVar(&probe, "probe", false, "ask every server for its models")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) printModels(list []app.Served) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.out, "No connection, and no server of models on this machine. Save one with fairlead connection add, or start a local server.")
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		if s.Problem != "" {
			fmt.Fprintf(w, "%s\t%s\t%s\n", s.Connection, s.BaseURL, s.Problem)
		}
		for _, m := range s.Models {
			fmt.Fprintf(w, "%s/%s\t%s\t%s\n", s.Connection, m.ID, windowOf(m), strings.Join(abilities(m), ", "))
		}
		if len(s.Models) == 0 && s.Problem == "" {
			fmt.Fprintf(w, "%s\t%s\tlists no model\n", s.Connection, s.BaseURL)
		}
	}
	return w.Flush()
}

func windowOf(m llm.Model) string {
	if m.Window == 0 {
		return "window unknown"
	}
	return fmt.Sprintf("%d tokens", m.Window)
}

// abilities names what is known that a model can do, and cannot.
func abilities(m llm.Model) []string {
	var list []string
	for _, a := range []struct {
		can  *bool
		word string
	}{{m.Tools, "tools"}, {m.Vision, "pictures"}, {m.Reasoning, "thinking"}} {
		switch {
		case a.can == nil:
		case *a.can:
			list = append(list, a.word)
		default:
			list = append(list, "no "+a.word)
		}
	}
	if m.Slots > 0 {
		list = append(list, fmt.Sprintf("%d slots", m.Slots))
	}
	return list
}
