package web

import (
	"context"
	"net/http"
	"slices"

	"fairlead/fault"
)

// mostPicture is the largest picture that is fetched, in bytes.
const mostPicture = 10 << 20

// pictures fetches single pictures for the page, after the person asked for each.
type pictures struct{ web *Web }

// Picture is [fairlead/command.Pictures]. The type is read off the bytes, never off
// what the server says; a drawing that can hold programs (SVG) is none.
func (p pictures) Picture(ctx context.Context, address string) (mime string, data []byte, err error) {
	u, err := parseAddress(address)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	r, err := p.web.get(ctx, u, p.web.allows, mostPicture)
	if err != nil {
		return "", nil, err
	}
	mime = http.DetectContentType(r.body)
	switch {
	case r.status != http.StatusOK:
		return "", nil, fault.New(fault.NotFound, "web.picture", "%s answered %s, so there is nothing to show.", u.Hostname(), r.refusedStatus())
	case r.cut:
		return "", nil, fault.New(fault.TooLarge, "web.picture", "The picture is larger than %d MB or broke off, so it is not shown. Open its address in a browser.", mostPicture>>20)
	case !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime):
		return "", nil, fault.New(fault.Invalid, "web.picture", "What is at this address is no picture that can be shown here.")
	}
	return mime, r.body, nil
}
