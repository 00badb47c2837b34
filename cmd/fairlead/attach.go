package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"time"

	"fairlead/app"
	"fairlead/fault"
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
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	address := h.address
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/v1/views/"+name, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	client := &http.Client{}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return fault.Wrap(fault.Unavailable, "host.view", err, "The running host at %s does not answer.", h.address)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fault.New(fault.Unavailable, "host.view", "The running host answered %s to the question for its %s.", resp.Status, name)
	}
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		return fault.Wrap(fault.Internal, "host.view", err, "The running host answered something that is not understood.")
	}
	return nil
}
