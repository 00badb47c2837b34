package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"fairlead/fault"
	"fairlead/settings"
)

// signin keeps what signing in at a server gave, as a credential of its own per
// server. Signing in itself needs a browser and so a person who asks for it; without
// browse a server that wants it is named with what to do.
type signin struct {
	keys   *settings.Credentials
	log    *slog.Logger
	browse Browse
	// redirect is where the browser comes back to.
	redirect string
}

// Browse sends the person's browser to an address and gives the query with which it
// came back.
type Browse func(ctx context.Context, address string) (Returned, error)

// Returned is what a browser brings back from signing in.
type Returned struct{ Code, State, Issuer string }

// pass is what is kept of a sign-in.
type pass struct {
	Config *oauth2.Config `json:"config"`
	Token  *oauth2.Token  `json:"token"`
}

// passName is the credential that holds a server's.
func passName(server string) string {
	return "MCP_" + strings.ToUpper(strings.ReplaceAll(server, "-", "_")) + "_SIGNIN"
}

func (s *signin) handler(server string, client *http.Client) auth.OAuthHandler {
	p := &passes{signin: s, server: server, client: client}
	if s.browse == nil {
		return p
	}
	h, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		Client: client, RedirectURL: s.redirect, RequestRefreshToken: true,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Fairlead", RedirectURIs: []string{s.redirect}, GrantTypes: []string{"authorization_code", "refresh_token"},
			ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}},
		AuthorizationCodeFetcher: func(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			back, err := s.browse(ctx, a.URL)
			return &auth.AuthorizationResult{Code: back.Code, State: back.State, Iss: back.Issuer}, err
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			if err := p.keep(pass{c, t}); err != nil {
				return nil, err
			}
			return c.TokenSource(ctx, t), nil
		},
	})
	if err != nil {
		s.log.Error("signing in cannot be offered", "server", server, "error", err)
		return p
	}
	return h
}

// passes gives requests the token that was kept, and keeps the one that takes its
// place. It is an [auth.OAuthHandler] that signs nobody in.
type passes struct {
	signin *signin
	server string
	client *http.Client

	mu   sync.Mutex
	kept *pass
}

func (p *passes) keep(next pass) error {
	raw, err := json.Marshal(next)
	if err == nil {
		_, err = p.signin.keys.Set(context.Background(), passName(p.server), string(raw)) // a token that was given must not be lost to a stop
	}
	return err
}

// TokenSource is nil where nobody signed in.
func (p *passes) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		raw, _, err := p.signin.keys.Get(ctx, passName(p.server))
		if fault.Is(err, fault.NotFound) {
			return nil, nil
		}
		var kept pass
		if err == nil {
			err = json.Unmarshal([]byte(raw), &kept)
		}
		if err != nil || kept.Config == nil || kept.Token == nil {
			return nil, fault.Wrap(fault.Invalid, "mcp.signin", err, "What signing in at the MCP server %s gave cannot be read. Sign in again: fairlead mcp login %s.", p.server, p.server)
		}
		p.kept = &kept
	}
	return p, nil
}

// Token is [oauth2.TokenSource].
func (p *passes) Token() (*oauth2.Token, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, p.client)
	t, err := p.kept.Config.TokenSource(ctx, p.kept.Token).Token()
	if err != nil {
		return nil, err
	}
	if t.AccessToken != p.kept.Token.AccessToken {
		p.kept = &pass{p.kept.Config, t}
		if err := p.keep(*p.kept); err != nil {
			p.signin.log.Warn("a renewed token could not be kept", "server", p.server, "error", err)
		}
	}
	return t, nil
}

// Authorize says what a person has to do.
func (p *passes) Authorize(_ context.Context, _ *http.Request, response *http.Response) error {
	_ = response.Body.Close() // nothing of it is wanted
	return fault.New(fault.Denied, "mcp.signin", "The MCP server %s wants you to sign in: fairlead mcp login %s.", p.server, p.server).WithCode("MCP_SIGN_IN").
		ForTheModel("The MCP server %s wants the person to sign in. Nothing was called; tell them to run: fairlead mcp login %s", p.server, p.server)
}

// SignIn signs the person in at a server with an address: browse sends their browser
// there, and redirect is where it comes back to.
func (s *Servers) SignIn(ctx context.Context, name, redirect string, browse Browse) error {
	e, err := s.find(name)
	if err == nil {
		err = e.problem
	}
	if err == nil && (e.config.URL == "" || s.deps.signin == nil) {
		err = fault.New(fault.Invalid, "mcp.signin", "The MCP server %s has no address to sign in at. Nothing was done.", name)
	}
	if err != nil {
		return err
	}
	deps := s.deps
	with := *deps.signin
	with.browse, with.redirect = browse, redirect
	deps.signin = &with
	one, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &server{name: name, config: e.config, deps: deps, ctx: one, changed: func() {}}
	l, err := server.use(ctx)
	if err != nil {
		return err
	}
	server.drop(l)
	return nil
}
