//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkStart starts `bash -c true` in every way, one after another in each
// round, so that a busy machine troubles all alike. It reports the median of each
// way and its ratio to a bare start by os/exec; the limits are 1.5 confined and 2
// without a network.
func BenchmarkStart(b *testing.B) {
	s := newHouse(b, nil)
	dir := b.TempDir()
	held := []string{dir + "/.git/config", dir + "/.git/hooks", dir + "/AGENTS.md"}
	for _, path := range held[:2] {
		write(b, path+"/x", "")
	}
	child := func(p Policy) func() error {
		return func() error {
			c, err := s.Start(b.Context(), Spec{Argv: []string{"bash", "-c", "true"}, Dir: dir, Policy: p})
			if err != nil {
				return err
			}
			_, err = c.Wait(b.Context())
			return err
		}
	}
	ways := []struct {
		name string
		do   func() error
	}{
		{"bare", func() error { return exec.Command("bash", "-c", "true").Run() }},
		{"unconfined", child(Policy{Unconfined: true})},
		{"confined", child(Policy{Write: []string{dir}, Network: true})},
		{"protecting", child(Policy{Write: []string{dir}, Network: true, Deny: held})},
		{"everywhere", child(Policy{Write: []string{"/"}, Network: true, Deny: held})},
		{"look-only", child(Policy{})},
	}
	took := make([][]time.Duration, len(ways))
	for b.Loop() {
		for i, way := range ways {
			began := time.Now()
			if err := way.do(); err != nil {
				b.Fatal(way.name, err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	median := func(i int) float64 {
		slices.Sort(took[i])
		return float64(took[i][len(took[i])/2])
	}
	bare := median(0)
	for i, way := range ways {
		b.ReportMetric(median(i)/1e6, way.name+"-ms")
		b.ReportMetric(median(i)/bare, way.name+"-ratio")
	}
	b.ReportMetric(0, "ns/op") // the rounds' sum says nothing
}

// BenchmarkListing is what is done in Go for one child: the plan and its program.
func BenchmarkListing(b *testing.B) {
	s := newHouse(b, nil)
	dir := b.TempDir()
	spec := Spec{Argv: []string{"bash", "-c", "true"}, Dir: dir, Policy: Policy{Write: []string{dir}}}
	b.ReportAllocs()
	for b.Loop() {
		p, rules, err := s.plan(spec, "/bin/bash", "", "")
		if err != nil {
			b.Fatal(err)
		}
		l, _ := p.list()
		if _, err := l.program(); err != nil {
			b.Fatal(err)
		}
		rules.Close()
	}
}
