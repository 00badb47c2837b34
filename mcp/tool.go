package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// longestCall is the limit of a call that keeps reporting progress.
const longestCall = 10 * time.Minute

// remote is a tool of a server, as it was approved.
type remote struct {
	name   string // under which a model sees it
	server *server
	offer  offered
}

func (r *remote) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: r.name, Description: r.offer.Description, Parameters: r.offer.Schema}
}

// Rare keeps it out of requests: whatever servers do, their list of tools stays the
// same.
func (r *remote) Rare() string {
	first, _, _ := strings.Cut(r.offer.Description, "\n")
	return tool.OutsideLine(first, mostLine)
}

func (r *remote) Limit(*tool.Call) time.Duration { return longestCall }

func (r *remote) Present(*tool.Call) session.Present {
	return session.Present{Verb: "use", What: r.server.name + ": " + tool.OutsideLine(r.offer.Name, 60)}
}

// Card shows who gets what. The words of the server stand apart, as a claim.
func (r *remote) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	shown, err := json.MarshalIndent(call.Args, "", "  ")
	if err != nil {
		return nil, err
	}
	return &tool.Card{Title: "use-tool", Hero: r.server.name + ": " + r.offer.Name, Why: tool.OutsideLine(r.offer.Description, 300),
		Parts: []tool.CardPart{{Name: "arguments", Kind: "json", Text: string(shown)}}}, nil
}

func (r *remote) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	var args map[string]any
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	result, err := r.call(ctx, call, args)
	if errors.Is(err, sdk.ErrSessionMissing) { // the server forgot the session, so it did nothing
		result, err = r.call(ctx, call, args)
	}
	if err != nil {
		return nil, err
	}
	return translate(ctx, call, result)
}

// call makes the call on a connection, whose tool must be the approved one.
func (r *remote) call(ctx context.Context, call *tool.Call, args map[string]any) (*sdk.CallToolResult, error) {
	l, err := r.server.use(ctx)
	if err != nil {
		return nil, err
	}
	if now, ok := l.offer(r.offer.Name); !ok || now.digest() != r.offer.digest() {
		return nil, r.quarantined(ok)
	}
	return ask(ctx, r.server, l, call, func(ctx context.Context, token string) (*sdk.CallToolResult, error) {
		p := &sdk.CallToolParams{Name: r.offer.Name, Arguments: args}
		p.SetProgressToken(token)
		return l.session.CallTool(ctx, p)
	})
}

func (r *remote) quarantined(there bool) error {
	if !there {
		return fault.New(fault.NotFound, "mcp.call", "The MCP server %s offers no tool %s any more. Nothing was called.", r.server.name, r.offer.Name).WithCode(CodeQuarantined)
	}
	return fault.New(fault.Denied, "mcp.call", "The MCP server %s describes its tool %s in another way than was approved, so it was not called. Look at the change and approve it: fairlead mcp approve %s.", r.server.name, r.offer.Name, r.server.name).
		WithCode(CodeQuarantined).
		ForTheModel("The server describes this tool in another way than the person approved, so it was not called. Go on without it and tell the person to look at it with: fairlead mcp approve %s", r.server.name)
}

// errSilent ends a call whose server says nothing for too long.
var errSilent = errors.New("the server is silent")

// ask makes one request for a call. It is cancelled, also at the server, when the call
// is stopped or nothing is heard for the server's limit; a report of progress counts
// as being heard.
func ask[R any](ctx context.Context, s *server, l *link, call *tool.Call, request func(ctx context.Context, token string) (R, error)) (result R, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := s.config.limit()
	silence := time.AfterFunc(limit, func() { cancel(errSilent) })
	defer silence.Stop()
	token, stop := l.heard.listen(func(text string) {
		silence.Reset(limit)
		if call.Output != nil && text != "" {
			call.Output(tool.OutsideLine(text, 200) + "\n")
		}
	})
	defer stop()
	defer l.begin(&asking{ctx: ctx, call: call, hold: func() func() {
		silence.Stop()
		return func() { silence.Reset(limit) }
	}})()
	result, err = request(ctx, token)
	if err == nil {
		return result, nil
	}
	var answered *jsonrpc.Error
	switch {
	case context.Cause(ctx) == errSilent:
		return result, fault.New(fault.Unavailable, "mcp.call", "The MCP server %s said nothing for %s, so the call was given up. What it did is not known.", s.name, limit).WithCode(CodeSilent)
	case ctx.Err() != nil:
		return result, ctx.Err()
	case errors.Is(err, sdk.ErrSessionMissing):
		s.drop(l)
		return result, fmt.Errorf("mcp.call: %w", err)
	case errors.As(err, &answered):
		return result, fault.Wrap(fault.Invalid, "mcp.call", err, "The MCP server %s refuses the call: %s", s.name, tool.OutsideLine(answered.Message, 500)).WithCode("MCP_REFUSED")
	}
	s.drop(l)
	return result, fault.Wrap(fault.Unavailable, "mcp.call", err, "The connection to the MCP server %s ended during the call. What it did is not known; the next call starts it again.", s.name).WithCode(CodeEnded)
}
