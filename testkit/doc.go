// Package testkit is what tests of several rooms share: a model endpoint that
// judges every request it gets, a way to make logs comparable, and golden files.
//
// It promises that a request which a strict provider would refuse is refused and
// named, that a request which does not extend the one before it is noticed, and
// that two runs of one conversation give equal text.
//
// It owns no model and no product code: the endpoint stands before a scripted
// model. Only tests import it.
//
// Read judge.go (the endpoint), rules.go and the files beside it (what a provider
// refuses), stable.go (comparable text), golden.go.
package testkit
