package main

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/session"
)

func (c *console) sessionRequest() *cobra.Command {
	return c.one("request ID N|title", "Print the exact bytes of the nth request, or of the one for the title, written again from the log and checked against its hash", c.request, 1)
}

func (c *console) request(ctx context.Context, lib *session.Library, id session.ID, args []string, asJSON bool) error {
	n, err := strconv.Atoi(args[0])
	if title := args[0] == "title"; !title && (err != nil || n < 1) {
		return usage("%q is not the number of a request; they count from 1. Nothing was done; give one, or \"title\".", args[0])
	}
	log, err := lib.Read(ctx, id)
	if err != nil {
		return err
	}
	defer log.Close(ctx)
	var sent *app.Sent
	if n > 0 {
		sent, err = app.Request(log, n)
	} else {
		sent, err = app.TitleRequest(log)
	}
	if sent == nil {
		return err
	}
	if asJSON {
		if werr := c.json(sent); werr != nil {
			return werr
		}
	} else if _, werr := io.WriteString(c.out, sent.Body); werr != nil {
		return werr
	}
	if err != nil {
		return &exit{code: exitFailed, err: err}
	}
	return nil
}
