package turnguard

import "fairlead/graph"

// Plugins are the rows of this room.
func Plugins() []graph.Plugin {
	return []graph.Plugin{Reminder(), Guard(), Babble(), CutReply(), Budget()}
}
