package command

import (
	"context"

	"fairlead/graph"
)

// Pictures fetches remote pictures that a person asked to see. A front door serves
// them; a room that reaches the web provides it.
type Pictures interface {
	// Picture gives the bytes at an address and their type, which is one that shows a
	// picture and nothing else. It fails with fault.Denied for an address that is not
	// on the open web, fault.Invalid for what is no picture, fault.TooLarge, and
	// fault.Unavailable where the address does not answer.
	Picture(ctx context.Context, address string) (mime string, data []byte, err error)
}

// PictureKey names who fetches pictures.
var PictureKey = graph.NewKey[Pictures]("command.pictures", "fetches remote pictures that a person asked to see")
