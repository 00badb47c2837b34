// Command bench runs Fairlead and the floor through the same scripted work, one
// after the other, against a model server on loopback, and prints one table of
// ratios. Read ratios, not seconds: the machine and its load are in both.
//
//	go run ./bench                 # all cases, medians of three
//	go run ./bench -cases s200 -n 5
//
// Overhead of a step is the arrival of a request minus the end of the response
// before it: it holds everything a harness does between two requests, the running
// of the tool included, which is why the floor stands beside it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// work is one scripted task.
type work struct {
	name   string
	steps  int // shell calls
	chunks int // pieces of the final text
}

var cases = []work{{name: "version"}, {"one", 1, 4}, {"s50", 50, 4}, {"s200", 200, 4}, {"stream5k", 0, 5000}}

func main() {
	only := flag.String("cases", "", "cases to run, separated by commas; all where empty")
	times := flag.Int("n", 3, "runs of each case; the table shows medians")
	flag.Parse()
	if err := bench(*only, *times); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(only string, times int) error {
	dir, err := os.MkdirTemp("", "fairlead-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs, err := build(dir)
	if err != nil {
		return err
	}
	for _, p := range programs {
		size, err := os.Stat(p.path)
		if err != nil {
			return err
		}
		fmt.Printf("%-9s %.1f MB\n", p.name, float64(size.Size())/(1<<20))
	}
	fmt.Printf("\n%-9s %-22s %10s %10s %7s\n", "case", "figure", "floor", "fairlead", "ratio")
	for _, w := range cases {
		if only != "" && !slices.Contains(strings.Split(only, ","), w.name) {
			continue
		}
		results := map[string][]measured{}
		for i := range times {
			for _, p := range programs { // in turn, so that a drift of the machine hits both
				m, err := measure(p, w, filepath.Join(dir, fmt.Sprintf("%s-%s-%d", p.name, w.name, i)))
				if err != nil {
					return fmt.Errorf("%s, case %s: %w", p.name, w.name, err)
				}
				results[p.name] = append(results[p.name], m)
			}
		}
		report(w, results["floor"], results["fairlead"])
	}
	if only != "" && !slices.Contains(strings.Split(only, ","), "web") {
		return nil
	}
	return benchWeb(dir, programs, times)
}

// figure is one row of the table.
type figure struct {
	name  string
	unit  string
	of    func(measured) float64
	where func(work) bool
}

func always(work) bool      { return true }
func withModel(w work) bool { return w.name != "version" }
func withSteps(w work) bool { return w.steps >= 50 }

var figures = []figure{
	{"wall", "ms", func(m measured) float64 { return m.wall }, always},
	{"CPU of the tree", "ms", func(m measured) float64 { return m.cpu }, always},
	{"peak RSS, main", "MB", func(m measured) float64 { return m.rss }, always},
	{"start → first request", "ms", func(m measured) float64 { return m.first }, withModel},
	{"overhead a step, p50", "ms", func(m measured) float64 { return percentile(m.steps, 50) }, withSteps},
	{"overhead a step, p95", "ms", func(m measured) float64 { return percentile(m.steps, 95) }, withSteps},
	{"late step / step 10", "", func(m measured) float64 { return m.growth() }, withSteps},
	{"after first request", "ms", func(m measured) float64 { return m.wall - m.first }, func(w work) bool { return w.chunks > 100 }},
	{"first request", "KB", func(m measured) float64 { return float64(m.firstBytes) / 1024 }, func(w work) bool { return w.name == "one" }},
}

func report(w work, floor, product []measured) {
	for _, f := range figures {
		if !f.where(w) {
			continue
		}
		a, b := median(floor, f.of), median(product, f.of)
		fmt.Printf("%-9s %-22s %7.1f %-2s %7.1f %-2s %7.2f\n", w.name, f.name, a, f.unit, b, f.unit, b/a)
	}
}

func median(runs []measured, of func(measured) float64) float64 {
	values := make([]float64, len(runs))
	for i, m := range runs {
		values[i] = of(m)
	}
	return percentile(values, 50)
}

// percentile of values; 0 for none.
func percentile(values []float64, p int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
