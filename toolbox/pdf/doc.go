// Package pdf reads the text of PDF files.
//
// It promises that a hostile or broken file costs bounded time and memory and never
// panics, that pages come in their order, and that what it cannot read (encrypted
// files, pages that are pictures) is said, not skipped. It reads only: fonts are
// used for what their characters mean, never for how they look.
//
// It finds objects by looking through the whole file, not by the cross-reference
// table, so a damaged table does no harm.
//
// Read text.go (from file to pages), object.go (values), file.go (objects and
// streams), page.go (the operators of a page), font.go (bytes to characters).
package pdf
