package window

import (
	"context"
	_ "embed" // the question is a file
	"errors"
	"fmt"
	"strings"
	"text/template"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
)

//go:embed prompts/summarise.md
var summariseText string

// mostPieces bounds the requests of one compaction, refused ones included.
const mostPieces = 16

// The room for a summary, in tokens.
const (
	leastSummary = 1 << 10
	mostSummary  = 8 << 10
)

// summaryRoom is how long a summary may be: an eighth of the window, in bounds.
func summaryRoom(window int) int {
	return min(max(window/8, leastSummary), mostSummary, window/4)
}

// summarise puts summaries in the place of everything up to an event. Each request
// shows the model the beginning of the conversation as it has read it, as much as
// fits, so that its server need not read that again; what comes back stands for that
// piece, and the next piece begins with it.
func (c *compaction) summarise(ctx context.Context, until int64) error {
	limit := c.pieceLimit()
	for range mostPieces {
		surface := c.agent.Log().Surface()
		prices := c.prices(surface)
		end := 0
		for end < len(surface) && surface[end].Span.To <= until {
			end++
		}
		lead, err := c.lead(ctx, surface)
		if err != nil || end <= lead {
			return err
		}
		at, fits := prefix(surface, prices, end, limit, lead)
		if !fits {
			if err := c.shrink(ctx, surface[lead:at]); err != nil {
				return err
			}
			continue
		}
		reply, err := c.ask(ctx, surface[at-1].Span.To)
		if refused, ok := errors.AsType[*llm.Error](err); ok && refused.Code == llm.CodeOverflow {
			if following(surface, lead) >= at {
				err = c.shrink(ctx, surface[lead:at])
			} else {
				err = c.halve(ctx, &limit, prices[:at])
			}
			if err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if err := c.replace(ctx, surface, at, lead, reply); err != nil {
			return err
		}
	}
	return errors.New("the oldest part could not be summarised in as many pieces as are tried")
}

// pieceLimit is how many tokens of history one request for a summary may show.
func (c *compaction) pieceLimit() int {
	b := c.start.budget
	frame := c.scaled(c.start.parts.System + c.start.parts.Tools + priceBytes(len(summariseText)))
	return max(b.Most-summaryRoom(b.Window)-frame, b.Window/16)
}

// halve makes the pieces smaller after one was refused.
func (c *compaction) halve(ctx context.Context, limit *int, prices []int) error {
	sum := 0
	for _, p := range prices {
		sum += p
	}
	now, err := c.agent.Next(ctx)
	if err != nil {
		return err
	}
	// The refusal may have taught the true window.
	c.choice.Route.Model = now.Route.Model
	c.start.budget = c.room.config.budget(now.Route)
	*limit = min(sum/2, c.pieceLimit())
	return nil
}

// shrink makes one unit smaller that does not fit a request by itself: its long
// texts first, and then, where there are none, a mark stands for it.
func (c *compaction) shrink(ctx context.Context, unit []session.Entry) error {
	var cuts []PrunedData
	for _, e := range unit {
		if d, ok := pruned(e); ok {
			cuts = append(cuts, d)
		}
	}
	if len(cuts) == 0 {
		sum := 0
		for i := range unit {
			sum += c.scaled(price(&unit[i].Message))
		}
		cuts = append(cuts, leftOut(unit, sum))
	}
	return c.prune(ctx, cuts)
}

// ask has the model summarise the conversation up to an event.
func (c *compaction) ask(ctx context.Context, until int64) (*session.AssistantMessageData, error) {
	space := summaryRoom(c.start.budget.Window)
	question, err := question(space / 4)
	if err != nil {
		return nil, err
	}
	choice := c.choice
	choice.Params.MaxTokens = space
	c.pieces++
	return c.agent.Aside(ctx, agent.Aside{Choice: choice, Until: until, Ask: question, Cause: causeCompaction, Activity: activity})
}

// activity is what viewers are told while a summary is made.
const activity = "summarising"

func question(words int) (string, error) {
	t, err := template.New("summarise").Parse(summariseText)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, struct{ Words int }{words})
	return strings.TrimSpace(b.String()), err
}

// replace puts a summary in the place of the entries before at.
func (c *compaction) replace(ctx context.Context, surface []session.Entry, at, lead int, reply *session.AssistantMessageData) error {
	carried, err := c.carry(ctx, surface, at)
	if err != nil {
		return err
	}
	d := SummaryData{Shadows: spanOf(surface[:at]), Items: carried.items + at - lead, Text: strings.TrimSpace(llm.Plain(reply.Content)), By: "model",
		Said: carried.said, Told: carried.told, Route: c.choice.Route.Name, Usage: llm.UnknownUsage()}
	if reply.Usage != nil {
		d.Usage, d.Cost = *reply.Usage, reply.Cost
	}
	if d.Text == "" {
		d.Text, d.By = carried.digest(), "harness"
	}
	d.Message = d.frame(carried.steps)
	before := 0
	for i := range at {
		before += price(&surface[i].Message)
	}
	if after := price(&llm.Message{Role: llm.User, Content: llm.Text(d.Message)}); after >= before {
		return fmt.Errorf("the summary is no shorter than what it sums up (%d and %d tokens)", after, before)
	}
	c.items += at - lead
	return c.add(ctx, Summary.New(c.turn, c.step, d))
}
