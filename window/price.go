package window

import (
	"fairlead/llm"
)

// The plain estimate: four bytes of UTF-8 are a token, and what frames a message or
// a part costs four. English and code have about that; a Chinese character comes to
// three quarters of a token. It is a floor: thinking is left out, because most
// servers are not sent it again.
const (
	bytesPerToken = 4
	framing       = 4
	picturePrice  = 1200 // what a picture of ordinary size costs at the large providers
)

func priceBytes(n int) int { return (n + bytesPerToken - 1) / bytesPerToken }

// price is the plain estimate of a message, in tokens.
func price(m *llm.Message) int {
	n := framing
	for i := range m.Content {
		if m.Content[i].MIME != "" {
			n += picturePrice
			continue
		}
		n += framing + priceBytes(len(m.Content[i].Text))
	}
	for i := range m.Calls {
		n += framing + priceBytes(len(m.Calls[i].Name)+len(m.Calls[i].Arguments))
	}
	return n
}

// weight is the number of bytes that a message has, which is the most tokens that
// it can be.
func weight(m *llm.Message) int {
	n := 4 * framing
	for i := range m.Content {
		if m.Content[i].MIME != "" {
			n += 4 * picturePrice
			continue
		}
		n += 4*framing + len(m.Content[i].Text)
	}
	for i := range m.Calls {
		n += 4*framing + len(m.Calls[i].Name) + len(m.Calls[i].Arguments)
	}
	return n
}

func priceTools(tools []llm.ToolSchema) int {
	n := framing
	for i := range tools {
		n += framing + priceBytes(len(tools[i].Name)+len(tools[i].Description)+len(tools[i].Parameters))
	}
	return n
}

// Parts is what fills a context, in tokens.
type Parts struct {
	System   int `json:"system"`   // the instructions
	Tools    int `json:"tools"`    // the descriptions of tools
	Files    int `json:"files"`    // files that were read, and pictures
	Messages int `json:"messages"` // what people and the model said
	Results  int `json:"results"`  // all other results of tools
}

// Sum adds the parts up.
func (p Parts) Sum() int { return p.System + p.Tools + p.Files + p.Messages + p.Results }

// scale gives parts that add up to about total.
func (p Parts) scale(total int) Parts {
	sum := p.Sum()
	if sum == 0 {
		return p
	}
	part := func(n int) int { return int(int64(n) * int64(total) / int64(sum)) }
	p.System, p.Tools, p.Files, p.Results = part(p.System), part(p.Tools), part(p.Files), part(p.Results)
	p.Messages = total - p.System - p.Tools - p.Files - p.Results
	return p
}
