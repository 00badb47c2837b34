package skill

import "fairlead/session"

// Kinds lists what this room declares.
func Kinds() []session.AnyKind { return []session.AnyKind{InstructionsTold, SkillsTold, HookRan} }

// Projections lists what this room folds.
func Projections() []session.AnyProjection {
	return []session.AnyProjection{instructionsFold, skillsFold}
}
