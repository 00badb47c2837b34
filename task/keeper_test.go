package task

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairlead/fault"
)

// saved makes a folder with tasks that count from a moment on.
func saved(t *testing.T, from time.Time, tasks ...Task) *Folder {
	t.Helper()
	d := NewFolder(filepath.Join(t.TempDir(), "tasks"))
	for _, task := range tasks {
		if err := d.Save(task); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(d.dir, task.Name+taskFile), from, from); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// instant is a keeper whose runs end at once.
func instant(d *Folder) *keeper {
	k := newKeeper(d, 2, slog.New(slog.DiscardHandler))
	k.play = func(_ context.Context, _ Task, r Record, _ func(Record)) Record {
		r.Outcome = Ran
		return r
	}
	return k
}

// round looks once at a moment and waits for what it began.
func (k *keeper) roundAt(t *testing.T, now time.Time) {
	t.Helper()
	if _, err := k.round(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	k.runs.Wait()
}

// told are the records of a task in words.
func told(t *testing.T, d *Folder, name string) []string {
	t.Helper()
	records, err := d.Records(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, r := range records {
		line := r.Due.UTC().Format("01-02 15:04 ") + string(r.Outcome)
		if r.Count > 1 {
			line += fmt.Sprintf(" ×%d to %s", r.Count, r.Last.UTC().Format("01-02 15:04"))
		}
		if r.Late > 0 {
			line += " late"
		}
		list = append(list, line)
	}
	return list
}

func TestAYearWithTwoClockChangesFiresEachDueTimeOnce(t *testing.T) {
	begin := at(t, "2026-01-01 00:00", "Europe/Berlin")
	end := begin.AddDate(1, 0, 0)
	d := saved(t, begin,
		Task{Name: "daily", Prompt: "go", Cron: "30 2 * * *", Zone: "Europe/Berlin"},
		Task{Name: "weekly", Prompt: "go", Cron: "0 9 * * 1", Zone: "Europe/Berlin"},
		Task{Name: "half-days", Prompt: "go", Every: "12h", From: begin.Format(time.RFC3339)},
		Task{Name: "by-hours", Prompt: "go", Cron: "0 */8 * * *", Zone: "Europe/Berlin"})
	k := instant(d)
	defer k.end()
	fired := map[string]map[int64]int{}
	k.play = func(_ context.Context, task Task, r Record, _ func(Record)) Record {
		k.mu.Lock()
		defer k.mu.Unlock()
		if fired[task.Name] == nil {
			fired[task.Name] = map[int64]int{}
		}
		fired[task.Name][r.Due.Unix()]++
		r.Outcome = Ran
		return r
	}
	back := 0
	for now := begin; !now.After(end); now = now.Add(2 * time.Hour) {
		k.roundAt(t, now)
		if now.Day() == 15 && now.Hour() < 4 && back < 24 {
			back++
			now = now.Add(-5 * time.Hour) // somebody set the clock
		}
	}
	counts := map[string]int{}
	for name, dues := range fired {
		for due, times := range dues {
			if times != 1 {
				t.Errorf("%s fired %d times for %s", name, times, time.Unix(due, 0).In(begin.Location()))
			}
		}
		counts[name] = len(dues)
	}
	want := map[string]int{"daily": 365, "weekly": 52, "half-days": 365 * 2, "by-hours": 365 * 3}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("fired (-want +got)\n%s", diff)
	}
}

func TestAfterATimeWithoutAHostOneRunCatchesUp(t *testing.T) {
	begin := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		missed string
		away   time.Duration
		want   []string
	}{
		{CatchUp, 8*time.Hour + 10*time.Minute, []string{"05-01 08:00 ran late"}},
		{CatchUp, 81 * time.Hour, []string{"05-01 08:00 missed ×3 to 05-03 08:00", "05-04 08:00 ran late"}},
		{CatchUp, 32 * time.Hour, []string{"05-01 08:00 missed", "05-02 08:00 ran"}},
		{Skip, 81 * time.Hour, []string{"05-01 08:00 missed ×4 to 05-04 08:00"}},
		{Skip, 32*time.Hour + time.Minute, []string{"05-01 08:00 missed", "05-02 08:00 ran"}},
		{Skip, 9 * time.Hour, []string{"05-01 08:00 missed"}},
		{CatchUp, 7 * time.Hour, nil},
	} {
		d := saved(t, begin, Task{Name: "t", Prompt: "go", Cron: "0 8 * * *", Zone: "UTC", Missed: row.missed})
		k := instant(d)
		k.roundAt(t, begin.Add(row.away))
		k.roundAt(t, begin.Add(row.away+time.Minute))
		k.end()
		if diff := cmp.Diff(row.want, told(t, d, "t")); diff != "" {
			t.Errorf("%s away with the rule %s (-want +got)\n%s", row.away, row.missed, diff)
		}
	}
}

func TestARunThatGoesOnIsNotJoinedByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		d := saved(t, begin, Task{Name: "slow", Prompt: "go", Every: "10m", From: begin.Format(time.RFC3339)})
		k := instant(d)
		k.play = func(ctx context.Context, _ Task, r Record, _ func(Record)) Record {
			select {
			case <-time.After(25 * time.Minute):
				r.Outcome = Ran
			case <-ctx.Done():
				r.Outcome = Stopped
			}
			return r
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { k.run(ctx); k.end(); close(done) }()
		<-time.After(44 * time.Minute)
		stop()
		<-done
		var got []string
		records, err := d.Records("slow")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			got = append(got, r.Due.Sub(begin).String()+" "+string(r.Outcome))
		}
		want := []string{"10m0s ran", "20m0s skipped", "30m0s skipped", "40m0s stopped"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestWhatAKilledHostLeftOpenIsClosedAndNotRunAgain(t *testing.T) {
	begin := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	d := saved(t, begin, Task{Name: "t", Prompt: "go", Cron: "0 8 * * *", Zone: "UTC"})
	due := begin.Add(8 * time.Hour)
	if err := d.Note("t", Record{Due: due, Outcome: Started, Session: "s1"}); err != nil {
		t.Fatal(err)
	}
	k := instant(d)
	defer k.end()
	k.roundAt(t, due.Add(time.Hour))
	records, err := d.Records("t")
	if err != nil {
		t.Fatal(err)
	}
	want := []Record{{Due: due, Outcome: Stopped, Session: "s1"}}
	if diff := cmp.Diff(want, records, cmpopts.IgnoreFields(Record{}, "Text")); diff != "" || !strings.Contains(records[0].Text, "host ended") {
		t.Errorf("(-want +got)\n%s%s", diff, records[0].Text)
	}
}

func TestOfTwoHostsOneFires(t *testing.T) {
	begin := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	d := saved(t, begin, Task{Name: "t", Prompt: "go", Cron: "0 8 * * *", Zone: "UTC"})
	first, second := instant(d), instant(NewFolder(d.dir))
	defer second.end()
	first.roundAt(t, begin)
	second.roundAt(t, begin.Add(8*time.Hour))
	if got := told(t, d, "t"); got != nil {
		t.Errorf("the second host fired: %q", got)
	}
	if _, err := second.now(t.Context(), "t"); !fault.Is(err, fault.Conflict) {
		t.Errorf("asked to run, the second host says %v", err)
	}
	first.end()
	second.roundAt(t, begin.Add(8*time.Hour))
	if diff := cmp.Diff([]string{"05-01 08:00 ran"}, told(t, d, "t")); diff != "" {
		t.Errorf("after the first has gone (-want +got)\n%s", diff)
	}
}

func TestADueTimeThatCannotBeWrittenDownDoesNotFire(t *testing.T) {
	begin := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	d := saved(t, begin, Task{Name: "t", Prompt: "go", Cron: "0 8 * * *", Zone: "UTC"})
	k := instant(d)
	defer k.end()
	k.play = func(_ context.Context, _ Task, r Record, _ func(Record)) Record {
		t.Error("it ran")
		return r
	}
	if err := os.Mkdir(filepath.Join(d.dir, "t"+recordFile), 0o700); err != nil { // what stands there is no file
		t.Fatal(err)
	}
	if _, err := k.round(t.Context(), begin.Add(8*time.Hour)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("round = %v", err)
	}
}

func TestOldRecordsGoAndATornLineHarmsNoOther(t *testing.T) {
	begin := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	d := saved(t, begin, Task{Name: "t", Prompt: "go", Every: "1m"})
	path := filepath.Join(d.dir, "t"+recordFile)
	var lines strings.Builder
	for i := range mostLines {
		fmt.Fprintf(&lines, `{"due":%q,"outcome":"ran"}`+"\n", begin.Add(time.Duration(i)*time.Minute).Format(time.RFC3339))
	}
	torn := strings.TrimSuffix(lines.String(), "\"}\n")
	if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	last := Record{Due: begin.Add(mostLines * time.Minute), Outcome: Ran}
	for range 2 { // the first ends the torn line, the second shortens the file
		if err := d.Note("t", last); err != nil {
			t.Fatal(err)
		}
		last.Due = last.Due.Add(time.Minute)
	}
	records, err := d.Records("t")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(records); n != mostRecords+1 || !records[n-1].Due.Equal(begin.Add((mostLines+1)*time.Minute)) {
		t.Errorf("%d records, the last of %s", n, records[n-1].Due)
	}
}
