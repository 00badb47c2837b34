package script

import "time"

// Budget bounds one entry into an instance: a whole program, or one callback of a
// package. A zero field stands for its default in [DefaultBudget].
type Budget struct {
	// Wall is the time from the entry to its end, waiting for calls included.
	Wall time.Duration
	// Patient lets the clock stand while calls are open and nothing computes: whoever
	// answers them bounds that time, as where a person is asked.
	Patient bool
	// Fuel bounds the work done inside, in questions to the host: about half a
	// millisecond each on a machine of today. It does not depend on the machine's load,
	// so the same program ends at the same place again.
	Fuel int64
	// Memory is in bytes, at most [MostMemory].
	Memory int
	// Output bounds what is printed and what is returned, in bytes, together.
	Output int
	// Calls is how many calls of host functions may be made in all, and Arguments how
	// many bytes those that are not answered yet may hold.
	Calls     int
	Arguments int
}

// MostMemory is what the largest instance may use, in bytes.
const MostMemory = 48 << 20

// hardMemory is the wall around an instance: the engine's own limit and its stack lie
// within it. In pages of 64 KiB.
const hardMemory = 64 << 20 / pageSize

const pageSize = 64 << 10

// stackBytes bounds recursion: about 1,000 plain calls. The engine's native stack is a
// megabyte; more than half of it would let deep recursion reach its end.
const stackBytes = 256 << 10

// DefaultBudget is what a program gets where nothing else is said.
func DefaultBudget() Budget {
	return Budget{Wall: 10 * time.Minute, Fuel: 120_000, Memory: MostMemory, Output: 4 << 20, Calls: 1_000, Arguments: 16 << 20}
}

func (b Budget) filled() Budget {
	d := DefaultBudget()
	if b.Wall <= 0 {
		b.Wall = d.Wall
	}
	if b.Fuel <= 0 {
		b.Fuel = d.Fuel
	}
	if b.Memory <= 0 || b.Memory > MostMemory {
		b.Memory = d.Memory
	}
	if b.Output <= 0 {
		b.Output = d.Output
	}
	if b.Calls <= 0 {
		b.Calls = d.Calls
	}
	if b.Arguments <= 0 {
		b.Arguments = d.Arguments
	}
	return b
}

// Between the moment a bound is passed and the trap that needs nobody's consent, the
// engine gets the chance to end the code itself, with its place.
const (
	graceTime = 250 * time.Millisecond
	graceFuel = 500
)
