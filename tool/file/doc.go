// Package file reaches files and reads what is in them: the way to a file that no
// link can bend, its bytes as they were at one moment, and its text whatever the
// character set.
//
// It promises that what is opened, replaced or deleted is what stands at the path
// that was judged, links swapped in between or not; that a file is whole at every
// moment and keeps its mode and owner; that a file which changed since it was read
// is not replaced; and that [Decode] and [Text.Encode] give back the bytes that
// were there. It owns the refusals of devices, pipes, hard links and files that are
// write-protected.
//
// It refuses to know who changes a file and why: tools, taking back what they did,
// and whatever else reads a person's folder use it alike.
//
// Read place.go (the way to a file and what can be done there), then text.go.
package file
