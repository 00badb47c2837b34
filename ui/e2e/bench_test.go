package e2e_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// metrics reads the browser's own counters of a tab, on its thread's CPU clock.
func (p *page) metrics() map[string]float64 {
	p.t.Helper()
	found := map[string]float64{}
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		got, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
		for _, m := range got.Metrics {
			found[m.Name] = m.Value
		}
		return err
	}))
	return found
}

func (p *page) measure() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
		return err
	}))
}

// A reply of 5,000 pieces in ten seconds, the page's load included. The limits of the
// design are 5 s of CPU and 34 ms for 95 of 100 frames; they are reported, not asserted.
func BenchmarkFiveThousandPieces(b *testing.B) {
	base := files(b)
	for b.Loop() {
		p := openTab(b, 1280, 900)
		p.measure()
		p.open(base + "/_/gallery#stream")
		p.wait(`window.streamed`)
		m := p.metrics()
		frames := eval[[]float64](p, `streamed.frames`)
		b.ReportMetric(m["TaskDuration"], "cpu-s")
		b.ReportMetric(m["ScriptDuration"], "script-s")
		b.ReportMetric(float64(len(frames)), "frames")
		b.ReportMetric(frames[len(frames)*95/100], "frame-p95-ms")
	}
}

// A session of 10,000 events, opened at its end.
func BenchmarkOpenTenThousandEvents(b *testing.B) {
	h := &host{t: b, home: b.TempDir(), addr: "127.0.0.1:0"}
	id := written(b, h, 1000)
	h.start()
	b.Cleanup(h.stop)
	p := h.signIn(1280, 900)
	p.measure()
	for b.Loop() {
		p.open("about:blank")
		before := p.metrics()
		p.open(h.url("/s/" + string(id)))
		p.see("Answer 1000.")
		after := p.metrics()
		b.ReportMetric(after["TaskDuration"]-before["TaskDuration"], "cpu-s")
		b.ReportMetric(after["JSHeapUsedSize"]/1e6, "heap-MB")
		b.ReportMetric(float64(p.count("*")), "elements")
	}
}
