package window

import "testing"

func TestAPromptThatWasCutIsToldFromOneThatIsCountedOddly(t *testing.T) {
	gauge := func(reported, plain int) Gauge {
		return Gauge{Reported: reported, ReportedPlain: plain, Last: MeasuredData{Measured: true, Plain: plain}}
	}
	told := func(input, total, plain, times int) Gauge {
		return Gauge{Reported: input, ReportedPlain: plain, Total: total, Repeats: times, Last: MeasuredData{Measured: true, Plain: plain, Tokens: input, Total: total}}
	}
	for _, row := range []struct {
		name         string
		r            reading
		input, total int
		want         bool
	}{
		{"all was read", reading{plain: 2200, parts: Parts{Tools: 1500}}, 2300, 2400, false},
		// SmolLM2 on llama.cpp: its template has no place for tools.
		{"the template leaves the tools out", reading{plain: 2200, parts: Parts{Tools: 1700}}, 498, 520, false},
		{"the template leaves the tools out of a longer session", reading{plain: 6200, parts: Parts{Tools: 1700}}, 4300, 4400, false},
		{"half of the messages is missing", reading{plain: 9000, parts: Parts{Tools: 1700}}, 4096, 4200, true},
		{"little was sent", reading{plain: 900}, 100, 120, false},
		{"the same small number for everything", reading{plain: 9000, parts: Parts{Tools: 1700}, gauge: told(100, 120, 8900, 7)}, 100, 120, false},
		{"the same number for everything", reading{plain: 9000, parts: Parts{Tools: 1700}, gauge: told(1200, 1220, 8900, 7)}, 1200, 1220, false},
		{"a context that is shifted", reading{plain: 9000, parts: Parts{Tools: 1700}, gauge: told(3900, 4096, 8900, 2)}, 3950, 4096, true},
		{"what was longer became shorter", reading{plain: 5200, gauge: gauge(5000, 4800)}, 4000, 4100, true},
	} {
		if got, _ := truncated(row.r, row.input, row.total); got != row.want {
			t.Errorf("%s: %t", row.name, got)
		}
	}
}
