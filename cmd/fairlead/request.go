package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/session"
)

func (c *console) sessionRequest() *cobra.Command {
	return c.one("request ID N", "Print the exact bytes of the nth request, written again from the log and checked against its hash", c.request, 1)
}

func (c *console) request(ctx context.Context, lib *session.Library, id session.ID, args []string, asJSON bool) error {
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return usage("%q is not the number of a request; they count from 1. Nothing was done.", args[0])
	}
	log, err := lib.Read(ctx, id)
	if err != nil {
		return err
	}
	defer log.Close(ctx)
	body, header, err := app.Request(log, n)
	if err != nil && body == nil {
		return err
	}
	if asJSON {
		if werr := c.json(map[string]any{"header": header, "body": string(body), "reproduced": err == nil}); werr != nil {
			return werr
		}
	} else if _, werr := c.out.Write(body); werr != nil {
		return werr
	}
	if err != nil {
		return &exit{code: exitFailed, err: err}
	}
	return nil
}
