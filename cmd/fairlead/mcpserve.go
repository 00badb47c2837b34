package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/fault"
	"fairlead/mcp"
	"fairlead/permission"
)

func (c *console) mcpServe() *cobra.Command {
	var f treeFlags
	var mode, workspace string
	cmd := &cobra.Command{Use: "serve", Short: "Be an MCP server on stdin and stdout, with which another agent runs sessions here", Args: noArguments("mcp serve"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(c)
			if err != nil {
				return err
			}
			if _, known := permission.ParseMode(mode); !known {
				return usage("There is no mode %q. Nothing was started; there are manual, plan and bypass.", mode)
			}
			if workspace, err = filepath.Abs(workspace); err == nil {
				workspace, err = filepath.EvalSymlinks(workspace)
			}
			if err != nil {
				return fault.Wrap(fault.Invalid, "mcp.serve", err, "The workspace cannot be used. Nothing was started; name a folder with --workspace.")
			}
			return c.serveMCP(cmd.Context(), o, mcp.ServeOptions{Folder: workspace, Mode: mode, Version: fullVersion()})
		}}
	f.add(cmd)
	cmd.Flags().StringVar(&mode, "mode", string(permission.Manual), "the mode of every session: manual, plan or bypass; in manual, what would be asked is refused")
	cmd.Flags().StringVar(&workspace, "workspace", ".", "the folder that sessions work in")
	return cmd
}

// serveMCP answers on stdin and stdout until the other side is gone or a signal comes.
func (c *console) serveMCP(ctx context.Context, o app.Options, serve mcp.ServeOptions) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if o.Profile == "web" { // the default of the flag: a server here needs no page
		o.Profile = "headless"
	}
	a, err := app.Boot(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(context.WithoutCancel(ctx))) }()
	if serve.Host, err = a.Host(); err != nil {
		return err
	}
	transport := &sdk.IOTransport{Reader: io.NopCloser(c.in), Writer: unclosed{c.out}}
	err = mcp.NewServer(serve).Run(ctx, transport)
	if ctx.Err() != nil || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return err
}

// unclosed is a stream that is not ours to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
