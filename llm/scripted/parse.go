package scripted

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Parse reads a script. An error names its line.
func Parse(text string) (*Script, error) {
	p := parser{script: &Script{Model: "scripted", CharsPerToken: 4, Counting: true}, piece: 16}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	for i := 0; i < len(lines); i++ {
		at := i + 1
		line := strings.TrimSpace(lines[i])
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		var below []string
		for i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "|") {
			i++
			text := strings.TrimPrefix(strings.TrimLeft(lines[i], " \t"), "|")
			below = append(below, strings.TrimPrefix(text, " "))
		}
		if err := p.statement(word, rest, strings.Join(below, "\n"), below != nil); err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
	}
	if len(p.script.parts) == 0 && p.script.otherwise == nil && len(p.script.list) == 0 {
		return nil, fmt.Errorf("the script has no reply")
	}
	return p.script, nil
}

type parser struct {
	script *Script
	part   *part
	reply  *reply
	pace   time.Duration
	piece  int
}

func (p *parser) statement(word, rest, below string, isBelow bool) (err error) {
	s := p.script
	switch word {
	case "model":
		s.Model = rest
	case "window":
		s.Window, err = number(rest)
	case "chars-per-token":
		s.CharsPerToken, err = strconv.ParseFloat(rest, 64)
		if err == nil && s.CharsPerToken <= 0 {
			err = fmt.Errorf("characters per token must be above 0")
		}
	case "counting":
		if rest != "on" && rest != "off" {
			return fmt.Errorf("counting is on or off, not %q", rest)
		}
		s.Counting = rest == "on"
	case "pace":
		var d time.Duration
		if d, err = time.ParseDuration(rest); err == nil {
			if p.reply != nil {
				p.reply.pace = d
			} else {
				p.pace = d
			}
		}
	case "piece":
		var n int
		if n, err = number(rest); err == nil {
			if p.reply != nil {
				p.reply.piece = n
			} else {
				p.piece = n
			}
		}
	case "title":
		if rest == "" {
			return fmt.Errorf("a title has words")
		}
		if p.part != nil {
			p.part.title = rest
		} else {
			s.title = rest
		}
	case "on":
		var match *regexp.Regexp
		if match, err = pattern(rest); err == nil {
			s.parts = append(s.parts, part{match: match})
			p.part, p.reply = &s.parts[len(s.parts)-1], nil
		}
	case "otherwise":
		s.otherwise = &part{}
		p.part, p.reply = s.otherwise, nil
	case "reply":
		err = p.open(rest)
	default:
		if p.reply == nil {
			return fmt.Errorf("%q is no statement, or belongs into a reply", word)
		}
		text := rest
		if isBelow {
			text = below
			if word == "call" || word == "fail" {
				text = strings.TrimSpace(rest + " " + below)
			}
		}
		var a act
		if a, err = action(verb(word), text); err == nil {
			p.reply.acts = append(p.reply.acts, a)
		}
	}
	return err
}

func (p *parser) open(condition string) error {
	places := &p.script.list
	if p.part != nil {
		places = &p.part.places
	}
	r := &reply{pace: p.pace, piece: p.piece}
	p.reply = r
	if condition == "" {
		*places = append(*places, place{r})
		return nil
	}
	test, ok := strings.CutPrefix(condition, "if ")
	if !ok {
		return fmt.Errorf("behind reply stands nothing or \"if\", not %q", condition)
	}
	if len(*places) == 0 {
		return fmt.Errorf("a reply with a condition stands behind the reply whose place it takes")
	}
	if test == "failed" {
		r.failed = true
	} else {
		match, err := pattern(test)
		if err != nil {
			return err
		}
		r.result = match
	}
	last := &(*places)[len(*places)-1]
	*last = append(*last, r)
	return nil
}

func action(v verb, text string) (a act, err error) {
	a = act{verb: v, text: text}
	switch v {
	case verbThink, verbSay, verbRaw:
	case verbWait:
		a.wait, err = time.ParseDuration(text)
	case verbCut, verbHang:
		if text != "" {
			err = fmt.Errorf("nothing stands behind %s", v)
		}
	case verbFinish:
		if text == "" {
			err = fmt.Errorf("finish needs a word")
		}
	case verbCall:
		a.name, a.text, _ = strings.Cut(text, " ")
		a.text = strings.TrimSpace(a.text)
		if a.name == "" {
			err = fmt.Errorf("call needs a tool's name")
		}
	case verbUsage:
		fields := strings.Fields(text)
		if len(fields) < 2 || len(fields) > 3 {
			return a, fmt.Errorf("usage takes tokens in, out and, if wanted, cached")
		}
		for i, f := range fields {
			if a.usage[i], err = number(f); err != nil {
				return a, err
			}
		}
	case verbFail:
		status, rest, _ := strings.Cut(text, " ")
		if a.status, err = number(status); err != nil {
			return a, err
		}
		if after, ok := strings.CutPrefix(rest, "after "); ok {
			wait, message, _ := strings.Cut(after, " ")
			if a.wait, err = time.ParseDuration(wait); err != nil {
				return a, err
			}
			rest = message
		}
		a.text = strings.TrimSpace(rest)
	default:
		err = fmt.Errorf("%q is no statement", v)
	}
	return a, err
}

func number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	return n, nil
}

func pattern(s string) (*regexp.Regexp, error) {
	if len(s) < 3 || s[0] != '/' || s[len(s)-1] != '/' {
		return nil, fmt.Errorf("a pattern stands between slashes, not %q", s)
	}
	return regexp.Compile("(?is)" + s[1:len(s)-1])
}
