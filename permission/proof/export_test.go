package proof

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Word is one argument of a simple command as the proof judges it. Where it is not
// Known, any number of words may come of it.
type Word struct {
	Text  string
	Known bool
}

// Words are the simple commands of a command that parses, and the files it reads its
// input from.
func Words(command string, at Place) (calls [][]Word, inputs []string) {
	for n := 0; ; n++ {
		nodes := simple(command) // anew: expanding braces changes the tree
		if n == len(nodes) {
			return calls, inputs
		}
		j := &judgement{at: at, text: command, folders: []string{at.Folder}, secrets: map[string]bool{}, reads: map[string]bool{}}
		switch node := nodes[n].(type) {
		case *syntax.CallExpr:
			args, err := j.words(node.Args)
			if err != nil || len(args) == 0 {
				continue
			}
			var call []Word
			for _, w := range args {
				call = append(call, Word{w.text, w.known})
			}
			calls = append(calls, call)
		case *syntax.Redirect:
			if w, err := j.word(node.Word); node.Op == syntax.RdrIn && err == nil {
				inputs = append(inputs, w.text)
			}
		}
	}
}

// simple gives the simple commands and the redirects of a command, in its order.
func simple(command string) (nodes []syntax.Node) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.CallExpr, *syntax.Redirect:
			nodes = append(nodes, node)
		}
		return true
	})
	return nodes
}
