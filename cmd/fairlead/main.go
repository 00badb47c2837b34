// Command fairlead is the agent harness: it connects a model to a person's files,
// shell and other agents. Each verb has a file of its own; what the verbs share
// (streams, environment, how an error becomes text and an exit code) is in
// console.go.
package main

import "os"

func main() { os.Exit(run()) }

// run is main without the end of the process, for the scripts that test it.
func run() int {
	c := &console{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Getenv}
	if len(os.Args) == 2 && os.Args[1] == "version" {
		return c.code(c.version()) // scripts and prompts ask often: no verb is made for it
	}
	return c.run(os.Args[1:])
}
