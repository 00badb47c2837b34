package server

import (
	"encoding/json"
	"strconv"

	"fairlead/command"
	"fairlead/fault"
)

// proof is a command of the host about one session, at an address of its own. The
// session is not woken for it.
func (s *Server) proof(name string) func(*call) (any, error) {
	return func(c *call) (any, error) {
		if err := s.underWay(); err != nil {
			return nil, err
		}
		args := map[string]any{"session": c.PathValue("id")}
		if n := c.PathValue("n"); n != "" && n != "title" {
			number, err := strconv.Atoi(n)
			if err != nil || number < 1 {
				return nil, fault.New(fault.Invalid, "server.proof", "%q is not the number of a request; they count from 1. Give one, or \"title\".", n)
			}
			args["n"] = number
		}
		cmd, ok := command.Find(c.Context(), s.options.Realm, name)
		if !ok {
			return nil, fault.New(fault.NotFound, "server.proof", "This host has no command %q. Nothing was done.", name)
		}
		text, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		return cmd.Run(c.Context(), command.Call{Args: text})
	}
}
