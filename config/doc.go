// Package config says which plugins a process or a session consists of.
//
// It promises that every value of the effective configuration knows the file, line
// and column it came from; that a mistake is answered with that place, the wrong
// word and the nearest right one, all mistakes at once; and that what is dumped
// loads back to the same tree. Layers go from the bundles of the profile, in order,
// over the profile's patch and the home patch to the patches named on the command
// line; a later layer wins.
//
// It owns the YAML of bundles, profiles, patches and presets, the strict decoding of
// plugin configuration, and the mounting of rows in a graph. It refuses to know any
// plugin: the table of constructors is handed in by app, and rows name its entries.
//
// Read row.go for what a row is, layer.go for how layers are read and laid over each
// other, tree.go for the result, decode.go for how a plugin gets its configuration,
// mount.go for how a tree becomes fibers, preset.go for sessions.
package config
