package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"time"

	"fairlead/app"
	"fairlead/fault"
	"fairlead/server"
)

// host is the process that serves the page on this home folder.
type host struct {
	address string
	token   string
}

// host finds the running host of a home folder.
func (c *console) host(home string) (host, bool) {
	record, running := app.Home(home).Running()
	if !running {
		return host{}, false
	}
	token, err := os.ReadFile(record.TokenFile)
	if err != nil {
		return host{}, false // it is just stopping
	}
	return host{record.Address, strings.TrimSpace(string(token))}, true
}

// view reads a view of the host into v.
func (h host) view(ctx context.Context, name string, v any) error {
	return h.do(ctx, http.MethodGet, "/views/"+name, nil, v)
}

// post has the host do something and reads the result into v.
func (h host) post(ctx context.Context, path string, args, v any) error {
	body, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer := struct {
		Result any `json:"result"`
	}{v}
	return h.do(ctx, http.MethodPost, path, body, &answer)
}

func (h host) do(ctx context.Context, method, path string, body []byte, v any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	address := h.address
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	req, err := http.NewRequestWithContext(ctx, method, address+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return fault.Wrap(fault.Unavailable, "host.ask", err, "The running host at %s does not answer.", h.address)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return h.refusal(resp, path)
	}
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		return fault.Wrap(fault.Internal, "host.ask", err, "The running host answered something that is not understood.")
	}
	return nil
}

// refusal is the host's own error, as it would be here.
func (h host) refusal(resp *http.Response, path string) error {
	var problem server.Problem
	if err := json.NewDecoder(resp.Body).Decode(&problem); err != nil || problem.Error.Message == "" {
		return fault.New(fault.Unavailable, "host.ask", "The running host answered %s to %s.", resp.Status, path)
	}
	kind := fault.Internal
	for k := fault.Internal; k <= fault.Cancelled; k++ {
		if k.String() == problem.Error.Kind {
			kind = k
		}
	}
	return fault.New(kind, "host.ask", "%s", problem.Error.Message).WithCode(problem.Error.Code)
}
