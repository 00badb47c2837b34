package toolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif"  // sizes of pictures
	_ "image/jpeg" // sizes of pictures
	_ "image/png"  // sizes of pictures
	"net/http"
	"path/filepath"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/tool"
	"fairlead/tool/file"
	"fairlead/toolbox/pdf"
)

// asText gives the text of a file that is more than text: a notebook or a PDF
// file. rendered is false for every other file.
func asText(ctx context.Context, path string, raw []byte) (body string, rendered bool, err error) {
	switch {
	case pdf.Is(raw) && !strings.EqualFold(filepath.Ext(path), ".txt"):
		body, err = pdfText(ctx, path, raw)
		return body, true, err
	case strings.EqualFold(filepath.Ext(path), ".ipynb"):
		body, ok := notebookText(raw)
		return body, ok, nil
	}
	return "", false, nil
}

func pdfText(ctx context.Context, path string, raw []byte) (string, error) {
	pages, err := pdf.Text(ctx, raw)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, "toolbox.read", err, "The text of %s cannot be read: %v.", path, err).WithCode(file.CodeBinary)
	}
	var b strings.Builder
	for i, text := range pages {
		fmt.Fprintf(&b, "[page %d of %d]\n%s\n", i+1, len(pages), text)
	}
	return b.String(), nil
}

// cell is a cell of a Jupyter notebook, format 4.
type cell struct {
	Type    string `json:"cell_type"`
	Source  lines  `json:"source"`
	Outputs []struct {
		Type  string                     `json:"output_type"`
		Text  lines                      `json:"text"`
		Data  map[string]json.RawMessage `json:"data"`
		Name  string                     `json:"ename"`
		Value string                     `json:"evalue"`
	} `json:"outputs"`
}

// lines is a text that a notebook keeps as one string or as a list of them.
type lines string

// UnmarshalJSON takes either form.
func (l *lines) UnmarshalJSON(b []byte) error {
	var parts []string
	if err := json.Unmarshal(b, &parts); err == nil {
		*l = lines(strings.Join(parts, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(l))
}

// notebookText shows the cells of a notebook with what they printed; false for a
// file that is no notebook.
func notebookText(raw []byte) (string, bool) {
	var book struct {
		Cells []cell `json:"cells"`
	}
	if err := json.Unmarshal(raw, &book); err != nil || book.Cells == nil {
		return "", false
	}
	var b strings.Builder
	put := func(text string) {
		b.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	for i, c := range book.Cells {
		put(fmt.Sprintf("[cell %d, %s]", i+1, c.Type))
		put(string(c.Source))
		for _, o := range c.Outputs {
			put("[output]")
			switch text, ok := o.Data["text/plain"]; {
			case o.Text != "":
				put(string(o.Text))
			case o.Name != "":
				put(o.Name + ": " + o.Value)
			case ok:
				var plain lines
				if err := json.Unmarshal(text, &plain); err == nil {
					put(string(plain))
				}
			}
			for kind, data := range o.Data {
				if strings.HasPrefix(kind, "image/") {
					put(fmt.Sprintf("[a picture, %s, %s, is left out]", kind, file.ByteCount(int64(len(data)))))
				}
			}
		}
	}
	return b.String(), true
}

// mostPictureBytes is the largest picture that models take.
const mostPictureBytes = 15 << 18

// picture gives a picture for the model to look at; nil for what is none.
func picture(ctx context.Context, call *tool.Call, path string, raw []byte) (*tool.Result, error) {
	kind := http.DetectContentType(raw)
	name, ok := strings.CutPrefix(kind, "image/")
	if !ok || name != "png" && name != "jpeg" && name != "gif" && name != "webp" {
		return nil, nil
	}
	says := strings.ToUpper(name) + " picture"
	if about, _, err := image.DecodeConfig(bytes.NewReader(raw)); err == nil {
		says += fmt.Sprintf(", %d × %d", about.Width, about.Height)
	}
	says += ", " + file.ByteCount(int64(len(raw)))
	if len(raw) > mostPictureBytes {
		return nil, fault.New(fault.TooLarge, "toolbox.read", "%s is a %s; models take pictures up to %s. Make a smaller one first.", path, says, file.ByteCount(mostPictureBytes)).WithCode(file.CodeTooLarge)
	}
	ref, err := call.Log.PutBlob(ctx, raw)
	if err != nil {
		return nil, err
	}
	return &tool.Result{Content: []llm.Part{{Text: path + ": " + says}, {MIME: kind, Blob: ref.SHA256, Name: filepath.Base(path)}}, View: readView{Kind: "read", Path: path}}, nil
}
