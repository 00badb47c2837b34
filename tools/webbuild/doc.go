// Command webbuild bundles the page: ui/src becomes ui/dist, with nothing but Go.
//
// It promises that the same sources give the same bytes, that only vendored code
// is bundled (ui/vendor, whose bytes are pinned in ui/vendor/LOCK), and that the
// licences of that code come along. It owns the bundler's options; it refuses to
// know what the page does.
//
//	go run . -root ../..            bundle once
//	go run . -root ../.. -watch     bundle again at every change
//	go run . -root ../.. -vendor    fetch what LOCK names with the npm client, once per upgrade
//
// Its tests check that ui/dist is fresh and ui/vendor unchanged, and run the unit
// tests of the page's core (ui/src/**/*.test.ts) in a JavaScript engine.
//
// Read build.go, then vendor.go.
package main
