// Package e2e tests the page in a real browser: Debian's Chromium, driven over its
// own protocol, without Node.
//
// It promises that what it asserts is what a person could see or do: roles, words,
// places, keys. It owns the harness (browser_test.go) and the pictures it takes
// (-shots writes them). The gallery is served as files under the page's own policy;
// everything else runs against the real binary.
//
// Read browser_test.go, then gallery_test.go and demo_test.go.
package e2e
