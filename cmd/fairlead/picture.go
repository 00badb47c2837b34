package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"fairlead/fault"
)

// picture is a file given with --image.
type picture struct {
	name, mime string
	bytes      []byte
}

// readPictures reads the files before anything is started.
func readPictures(files []string) ([]picture, error) {
	var all []picture
	for _, file := range files {
		bytes, err := os.ReadFile(file)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, "run.image", err, "The picture %s cannot be read. Nothing was sent; check its path.", file)
		}
		mime := http.DetectContentType(bytes)
		if !strings.HasPrefix(mime, "image/") {
			return nil, usage("%s is not a picture (%s). Nothing was sent; give a PNG, JPEG, GIF or WebP file.", file, mime)
		}
		all = append(all, picture{filepath.Base(file), mime, bytes})
	}
	return all, nil
}
