package ui_test

import (
	"io/fs"
	"strings"
	"testing"

	"fairlead/ui"
)

func TestIndexCarriesTheLook(t *testing.T) {
	page, err := ui.Index(ui.Look{Theme: "dark", Language: "pt-BR", Version: `1"><b>`})
	if err != nil {
		t.Fatal(err)
	}
	want := `<html lang="en" data-theme="dark" data-language="pt-BR" data-version="1&#34;&gt;&lt;b&gt;"`
	if !strings.Contains(string(page), want) {
		t.Errorf("no %s in\n%s", want, page)
	}
}

func TestPageHasNoInlineScript(t *testing.T) {
	page, err := fs.ReadFile(ui.Files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	for tag := range strings.SplitSeq(string(page), "<script") {
		if strings.HasPrefix(tag, "<!doctype") {
			continue
		}
		if !strings.Contains(tag, "src=") || !strings.HasPrefix(tag[strings.Index(tag, ">"):], "></script>") {
			t.Errorf("script with a body: <script%s", tag)
		}
	}
}
