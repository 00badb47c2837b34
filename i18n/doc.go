// Package i18n is the message catalog: every sentence the product says to a person,
// in eight languages, one YAML file a language.
//
// It promises that each language has every key with the same values, and the plural
// forms its grammar needs; a test there fails the build otherwise. English is the
// source: its keys and the names of their values become TypeScript types, so a
// missing key or value in the page is a compile error. It owns the words; it
// refuses to know who says them.
//
// A message is a text with {values}, or a map of plural forms chosen by {n}:
//
//	steps: {one: "{n} step", other: "{n} steps"}
//
// Text of models, tools and people is never translated. The glossary stands at the
// head of en.yaml.
//
// Read catalog.go, then en.yaml.
package i18n
