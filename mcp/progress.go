package mcp

import (
	"context"
	"fmt"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// heard hands reports of progress to the calls they are about.
type heard struct {
	mu      sync.Mutex
	next    int
	waiting map[string]func(text string)
}

// listen gives a token; reports with it are handed to hear until the call is over.
func (h *heard) listen(hear func(text string)) (token string, stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	token = fmt.Sprint("call-", h.next)
	h.waiting[token] = hear
	return token, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.waiting, token)
	}
}

func (h *heard) progress(_ context.Context, n *sdk.ProgressNotificationClientRequest) {
	h.mu.Lock()
	hear := h.waiting[fmt.Sprint(n.Params.ProgressToken)]
	h.mu.Unlock()
	if hear == nil {
		return // the call is over; reports may come late
	}
	text := n.Params.Message
	if n.Params.Total > 0 {
		text = fmt.Sprintf("%s (%g of %g)", text, n.Params.Progress, n.Params.Total)
	}
	hear(text)
}
