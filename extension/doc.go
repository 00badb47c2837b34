// Package extension lets an agent change what it can do while it runs: dynamic packages,
// code that a model wrote and that lives as long as the session's agent.
//
// It promises that a package runs in a sandbox of its own and reaches nothing but what
// fairlead.d.ts declares; that versions never change once they are defined; that an
// activation which fails leaves the version that ran; that what a package registers is
// seen in the session that defined it and goes with the package; that it calls tools
// only while one of its own tools is being called, under that call's id and through the
// gate; and that nothing of it is there after a restart. A package that passes a bound
// fails, is started once more with empty state, and that is told.
//
// It also keeps plugins: files that a person has reviewed. One runs only where exactly
// the bytes that are read for running are those that were approved; new and changed
// files are listed and never run.
//
// It refuses to know how code is confined (package script) and what may run (the gate).
//
// Read fairlead.d.ts and prelude.js (what a package sees), shelf.go (the packages of one
// session), activation.go (from code to registrations), fiber.go (a running package in
// the graph), offers.go (what it registers), callback.go (how it is entered), tools.go
// (the model's side), views.go (the person's);
// then folder.go (files and their review), parcel.go and bundle.go (a folder or an archive
// becomes one file), plugins.go and pluginrow.go.
package extension
