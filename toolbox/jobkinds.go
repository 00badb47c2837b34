package toolbox

import (
	"bytes"
	"slices"

	"fairlead/session"
)

// The kinds of what runs beside the turns: jobs, which are commands in the
// background, and terminals.
var (
	JobStarted = session.Kind[JobStartedData]{Name: "job/started", Doc: "a command or a terminal was started that runs beside the turns", Ignorable: true}
	JobEnded   = session.Kind[JobEndedData]{Name: "job/ended", Doc: "it has ended, was ended, or was lost with its host", Ignorable: true}
)

// JobStartedData says what was started. Kind is "command" or "terminal".
type JobStartedData struct {
	Job     string `json:"job"`
	Call    string `json:"call"`
	Kind    string `json:"kind"`
	Command string `json:"command"`
	Dir     string `json:"dir"`
}

// JobEndedData says how it ended. State is "ended" where it ended by itself,
// "stopped" where somebody ended it, who is By ("model", "person", "archive",
// "host"), and "lost" where its host died and nothing is known.
type JobEndedData struct {
	Job      string   `json:"job"`
	State    string   `json:"state"`
	By       string   `json:"by,omitempty"`
	ExitCode int      `json:"exitCode"`
	Signal   string   `json:"signal,omitempty"`
	Left     []string `json:"left,omitempty"`
	// Protected are paths that appeared while it ran although they are protected.
	Protected []string `json:"protected,omitempty"`
	// Output is what it wrote, as far as it is kept.
	Output *session.BlobRef `json:"output,omitempty"`
}

// States of a job.
const (
	jobRunning = "running"
	jobEnded   = "ended"
	jobStopped = "stopped"
	jobLost    = "lost"
)

// Kinds of jobs.
const (
	kindCommand  = "command"
	kindTerminal = "terminal"
)

// JobState is a job as the log knows it. Times are Unix milliseconds.
type JobState struct {
	JobStartedData
	State   string        `json:"state"`
	Started int64         `json:"startedAt"`
	Ended   int64         `json:"endedAt,omitempty"`
	End     *JobEndedData `json:"end,omitempty"`
}

// JobsState is the state of the projection "jobs".
type JobsState struct {
	// Started counts the jobs of the session; it numbers them.
	Started int `json:"started"`
	// Jobs are those that run and the last that do not, oldest first.
	Jobs []JobState `json:"jobs"`
	// Wakes counts the turns that ends of jobs began since a person said something.
	Wakes int `json:"wakes,omitempty"`
}

// endedShown is how many jobs that do not run any more are kept in the state.
const endedShown = 20

var jobsFold = session.Projection[JobsState]{
	Name: "jobs", Version: 1,
	Fold: func(s JobsState, e session.Event) JobsState {
		switch {
		case JobStarted.Of(e):
			if d, err := JobStarted.Decode(e); err == nil {
				s.Started++
				s.Jobs = append(slices.Clip(s.Jobs), JobState{JobStartedData: d, State: jobRunning, Started: e.At})
			}
		case JobEnded.Of(e):
			if d, err := JobEnded.Decode(e); err == nil {
				return s.end(d, e.At)
			}
		case session.UserMessage.Of(e):
			// A session without jobs is spared the decoding.
			if len(s.Jobs) > 0 {
				if bytes.Contains(e.Data, []byte(`"origin":"`+originJob+`"`)) {
					s.Wakes++
				} else {
					s.Wakes = 0
				}
			}
		}
		return s
	},
	View: func(s JobsState) any { return s.Jobs },
}

func (s JobsState) end(d JobEndedData, at int64) JobsState {
	i := slices.IndexFunc(s.Jobs, func(j JobState) bool { return j.Job == d.Job && j.State == jobRunning })
	if i < 0 {
		return s
	}
	s.Jobs = slices.Clone(s.Jobs)
	s.Jobs[i].State, s.Jobs[i].Ended, s.Jobs[i].End = d.State, at, &d
	over := -endedShown
	for _, j := range s.Jobs {
		if j.State != jobRunning {
			over++
		}
	}
	s.Jobs = slices.DeleteFunc(s.Jobs, func(j JobState) bool {
		drop := j.State != jobRunning && over > 0
		if drop {
			over--
		}
		return drop
	})
	return s
}

// find gives a job by its id.
func (s JobsState) find(id string) (JobState, bool) {
	for _, j := range s.Jobs {
		if j.Job == id {
			return j, true
		}
	}
	return JobState{}, false
}

// running lists the jobs that run as far as the log knows.
func (s JobsState) running() []JobState {
	return slices.DeleteFunc(slices.Clone(s.Jobs), func(j JobState) bool { return j.State != jobRunning })
}
