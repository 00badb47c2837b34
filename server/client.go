package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"fairlead/fault"
)

// AskForLink has a running host make a link for one more browser. It is for programs
// of this machine, which find address and token in the run folder.
func AskForLink(ctx context.Context, client *http.Client, address, token string) (string, error) {
	unanswered := func(err error) error {
		return fault.Wrap(fault.Unavailable, "server.ask", err, "The host on %s does not answer as Fairlead does. Nothing was changed.", address)
	}
	body, err := json.Marshal(Use{Name: loginLink})
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/api/v1/commands", bytes.NewReader(body))
	if err != nil {
		return "", unanswered(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	res, err := client.Do(r)
	if err != nil {
		return "", unanswered(err)
	}
	defer res.Body.Close()
	var made struct{ Result link }
	if err := json.NewDecoder(http.MaxBytesReader(nil, res.Body, smallBody)).Decode(&made); err != nil || made.Result.Link == "" {
		return "", unanswered(err)
	}
	return made.Result.Link, nil
}

// loginLink is the command that makes a link, link its result.
const loginLink = "login.link"

type link struct {
	Link string `json:"link"`
}
