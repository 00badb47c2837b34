// Package task runs agents at set times: once, every so often, or by a cron
// expression in a time zone.
//
// It promises that every due time leaves exactly one record, which says what became
// of it: it ran, ran late, was missed, was skipped because the one before still ran,
// was denied something, or failed; that a run has a session of its own, in plan mode
// unless the task says otherwise; that nobody is asked on its behalf; that no due time
// fires twice, whatever is killed and whichever way the clock is set; and that after a
// time without a host at most one run catches up.
//
// It owns the tasks folder of the home: a YAML file for each task, which a person may
// edit, and beside it the records. It refuses to know what runs mean and who may be
// asked: the agent runs them and the gate says no.
//
// Read task.go (what a task is), schedule.go (when it is due), records.go (what
// became of it), folder.go (where both are kept), keeper.go (what fires them), run.go,
// then commands.go and plugin.go.
package task
