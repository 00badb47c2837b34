package window

import (
	"testing"

	"fairlead/llm"
)

func TestTheWindowIsSharedOutByTheExactFigures(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		model  llm.Model
		local  bool
		want   Budget
	}{
		{"8K: the reserve is at its least, the safety room a sixteenth", Config{}, llm.Model{Window: 8192, Source: "server"}, true,
			Budget{Window: 8192, Source: "server", Reserve: 4096, Start: 8192 - 4096 - 512, Keep: 1310, Most: 8192 - 512}},
		{"32K: 30 % and a sixteenth", Config{}, llm.Model{Window: 32768, Source: "server"}, true,
			Budget{Window: 32768, Source: "server", Reserve: 9830, Start: 32768 - 9830 - 2048, Keep: 5242, Most: 32768 - 2048}},
		{"just under 64K: the safety room is at its most", Config{}, llm.Model{Window: 65535, Source: "server"}, true,
			Budget{Window: 65535, Source: "server", Reserve: 19660, Start: 65535 - 19660 - 4095, Keep: 10485, Most: 65535 - 4095}},
		{"64K: the reserve is fixed", Config{}, llm.Model{Window: 65536, Source: "server"}, true,
			Budget{Window: 65536, Source: "server", Reserve: 32768, Start: 32768, Keep: 10485, Most: 65536 - 4096}},
		{"200K: 80 % comes first", Config{}, llm.Model{Window: 200_000, Source: "person"}, false,
			Budget{Window: 200_000, Source: "person", Reserve: 32768, Start: 160_000, Keep: 32_000, Most: 200_000 - 4096}},
		{"a window smaller than the least reserve leaves half of it", Config{}, llm.Model{Window: 4096, Source: "refusal"}, true,
			Budget{Window: 4096, Source: "refusal", Reserve: 2048, Start: 4096 - 2048 - 256, Keep: 655, Most: 4096 - 256}},
		{"a person's figures hold", Config{Start: 50, Keep: 25, Reserve: 8192}, llm.Model{Window: 65536}, true,
			Budget{Window: 65536, Reserve: 8192, Start: 32768, Keep: 16384, Most: 65536 - 4096}},
		{"nothing known of a model on this machine", Config{}, llm.Model{}, true,
			Budget{Window: 32768, Source: SourceAssumed, Reserve: 9830, Start: 32768 - 9830 - 2048, Keep: 5242, Most: 32768 - 2048}},
		{"nothing known of a model elsewhere", Config{}, llm.Model{}, false,
			Budget{Window: 131072, Source: SourceAssumed, Reserve: 32768, Start: 131072 - 32768, Keep: 20971, Most: 131072 - 4096}},
		{"what a person takes for granted", Config{Unknown: 200_000}, llm.Model{}, true,
			Budget{Window: 200_000, Source: SourceAssumed, Reserve: 32768, Start: 160_000, Keep: 32_000, Most: 200_000 - 4096}},
	} {
		if got := c.config.budget(llm.Route{Model: c.model, Local: c.local}); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestTheCapOfAReplyIsHalfTheWindowLessThePrompt(t *testing.T) {
	for _, c := range []struct{ window, prompt, want int }{
		{32768, 1000, 16384},                   // half the window
		{200_000, 1000, 65536},                 // at most 65,536
		{32768, 20_000, 32768 - 20_000 - 2048}, // what the prompt leaves, less the safety room
		{8192, 7600, 8192 - 7600 - 296},        // of which that is at most half
		{8192, 8000, 96},
		{8192, 9000, 0},
	} {
		if got := replyCap(c.window, c.prompt); got != c.want {
			t.Errorf("window %d, prompt %d: cap %d, want %d", c.window, c.prompt, got, c.want)
		}
	}
}

func TestAPressureIsMeasuredPlusWhatChangedAndNeverBelowThePlainEstimate(t *testing.T) {
	for _, c := range []struct {
		name                      string
		reported, reportedFor, at int
		want                      int
	}{
		{"nothing measured", 0, 0, 700, 700},
		{"nothing changed", 1500, 1000, 1000, 1500},
		{"what came is priced at the density of what was measured", 1500, 1000, 1200, 1800},
		{"what went is, too", 1500, 1000, 600, 900},
		{"a server that counts too little is not believed", 100, 1000, 1200, 1200},
		{"dense text such as logs", 66_500, 29_500, 29_500, 66_500},
		{"text in Chinese: a token for each character", 3000, 2250, 2250 + 750, 4000},
	} {
		g := Gauge{Reported: c.reported, ReportedPlain: c.reportedFor}
		if got := g.pressure(c.at); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestAPromptThatAServerCutIsNoticed(t *testing.T) {
	steady := Gauge{Last: MeasuredData{Plain: 3000, Measured: true}, Reported: 3900, ReportedPlain: 3000, Total: 4096, Repeats: 2}
	for _, c := range []struct {
		name         string
		gauge        Gauge
		plain        int
		input, total int
		cut          bool
		window       int
	}{
		{"a fair count", Gauge{}, 2000, 2100, 2200, false, 0},
		{"dense words of a large vocabulary", Gauge{}, 2000, 1400, 1500, false, 0},
		{"far less than is surely there", Gauge{}, 9000, 4000, 4096, true, 0},
		{"the same again shows the window", Gauge{Last: MeasuredData{Read: 3950}}, 9500, 4000, 4090, true, 4096},
		{"a short prompt tells nothing", Gauge{}, 500, 200, 210, false, 0},
		{"the third total in a row while the session grew", steady, 3100, 4000, 4096, true, 4096},
		{"the same total for the same session", steady, 3000, 4000, 4096, false, 0},
		{"a count that falls while the session grew", Gauge{Last: MeasuredData{Plain: 3000, Measured: true}, Reported: 4000, ReportedPlain: 3000}, 3200, 2500, 2600, true, 0},
		{"a count that falls after a summary", Gauge{Last: MeasuredData{Plain: 1000}, Reported: 4000, ReportedPlain: 3000}, 1100, 1400, 1500, false, 0},
	} {
		cut, window := truncated(reading{gauge: c.gauge, plain: c.plain}, c.input, c.total)
		if cut != c.cut || window != c.window {
			t.Errorf("%s: cut %v, window %d; want %v, %d", c.name, cut, window, c.cut, c.window)
		}
	}
}
