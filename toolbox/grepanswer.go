package toolbox

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fairlead/llm"
	"fairlead/tool"
	"fairlead/tool/file"
)

// answer puts together what the searchers found.
func (s *search) answer(ctx context.Context, call *tool.Call, base string, skipped int) (*tool.Result, error) {
	var all []fileHits
	for _, w := range s.workers {
		all = append(all, w.hits...)
	}
	slices.SortFunc(all, func(a, b fileHits) int { return strings.Compare(a.rel, b.rel) })
	matches := 0
	for i := range all {
		matches += all[i].count
		if base != "." {
			all[i].rel = filepath.Join(base, filepath.FromSlash(all[i].rel))
		}
	}
	notes := s.notes(skipped)
	if s.args.Files {
		paths := make([]string, len(all))
		for i, h := range all {
			paths[i] = h.rel
		}
		return listed(ctx, call, paths, mostPaths, notes, "No file has a match")
	}
	if matches == 0 {
		text := "No match."
		if len(notes) > 0 {
			text = "No match. [not searched: " + strings.Join(notes, "; ") + "]"
		}
		return &tool.Result{Content: llm.Text(text), View: searchView{Kind: "search"}}, nil
	}
	result := &tool.Result{View: searchView{Kind: "search", Matches: matches, Files: len(all), Truncated: matches > mostMatches}}
	short, shownMatches := formatHits(all, mostMatches)
	var end []string
	if matches > shownMatches {
		whole, kept := formatHits(all, matches)
		ref, err := call.Keep(ctx, whole)
		if err != nil {
			return nil, err
		}
		result.Spill = &ref
		list := "the whole list"
		if kept < matches {
			list = fmt.Sprintf("the first %s", grouped(kept))
		}
		end = append(end, fmt.Sprintf("%s of %s in %s shown; %s: read with path %s, or narrow the search", grouped(shownMatches), plural(matches, "match"), plural(len(all), "file"), list, tool.Locator(ref)))
	}
	if len(notes) > 0 {
		end = append(end, "not searched: "+strings.Join(notes, "; "))
	}
	if len(end) > 0 {
		short += "[" + strings.Join(end, "; ") + "]"
	}
	result.Content = llm.Text(strings.TrimSuffix(short, "\n"))
	return result, nil
}

// answerBytes bounds the text of one answer.
const answerBytes = 40_000

// formatHits writes matches by file, up to a number of them, and gives how many.
func formatHits(all []fileHits, most int) (string, int) {
	var b strings.Builder
	shown := 0
	for _, h := range all {
		if shown >= most || len(h.lines) == 0 {
			break
		}
		b.WriteString(h.rel)
		b.WriteByte('\n')
		for _, line := range h.lines {
			if line.match && (shown >= most || most == mostMatches && b.Len()+len(line.text) > answerBytes) {
				return b.String(), shown
			}
			b.WriteString(line.text)
			b.WriteByte('\n')
			if line.match {
				shown++
			}
		}
	}
	return b.String(), shown
}

// notes say what was not searched.
func (s *search) notes(skipped int) []string {
	var list []string
	if names := s.secrets.names; len(names) > 0 {
		slices.Sort(names)
		text := strings.Join(names[:min(3, len(names))], ", ")
		if more := len(names) - 3; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, text+" (may hold secrets; name one as path to ask for it)")
	}
	if n := int(s.large.Load()); n > 0 {
		list = append(list, plural(n, "file")+" over "+file.ByteCount(searchedBytes))
	}
	if n := int(s.unread.Load()) + skipped; n > 0 {
		list = append(list, plural(n, "unreadable entry"))
	}
	return list
}
