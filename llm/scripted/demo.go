package scripted

import (
	"embed"
	"io/fs"
)

//go:embed demo/script.txt demo/files
var demo embed.FS

// Demo gives the script of the demo. It plays in a folder that holds [DemoFiles],
// with the standard tools.
func Demo() *Script {
	text, err := demo.ReadFile("demo/script.txt")
	if err != nil {
		panic("scripted: the demo's script is not embedded: " + err.Error())
	}
	s, err := Parse(string(text))
	if err != nil {
		panic("scripted: the demo's script: " + err.Error())
	}
	return s
}

// DemoFiles are the files of the demo's folder, by their names there.
func DemoFiles() fs.FS {
	files, err := fs.Sub(demo, "demo/files")
	if err != nil {
		panic("scripted: the demo's files are not embedded: " + err.Error())
	}
	return files
}

// DemoPrompts are messages that the demo has an answer to, for the page to offer.
func DemoPrompts() []string {
	return []string{"Why does report.sh print no heights? Fix it.", "What is in this folder?", "Write a check for the data."}
}
