//go:build linux

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"fairlead/fault"
)

// HideEnvironment overwrites what this process was started with, as others may
// read it in /proc/PID/environ: keys given by environment stay in our own memory
// only. Variables that Go has read already stay readable for us. Call it in main,
// once the environment was read; it is for the rare child without any wall, since
// confined ones cannot look at us.
func HideEnvironment() error {
	const op = "sandbox.hide"
	env, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return fault.Wrap(fault.Internal, op, err, "The environment of this process cannot be read.")
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return fault.Wrap(fault.Internal, op, err, "The state of this process cannot be read.")
	}
	const envStart = 50 - 3 // proc(5) counts from 1, and field 3 is the first behind the name
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= envStart {
		return fault.New(fault.Unavailable, op, "This kernel does not say where the environment lies.")
	}
	at, err := strconv.ParseInt(fields[envStart], 10, 64)
	if err != nil || at == 0 {
		return fault.New(fault.Unavailable, op, "This kernel does not say where the environment lies.")
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err, "The environment of this process cannot be hidden.")
	}
	defer memory.Close()
	if _, err := memory.WriteAt(make([]byte, len(env)), at); err != nil {
		return fault.Wrap(fault.Unavailable, op, err, "The environment of this process cannot be hidden.")
	}
	return nil
}
