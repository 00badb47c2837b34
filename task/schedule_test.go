package task

import (
	"slices"
	"testing"
	"time"

	"fairlead/fault"
)

// at reads a moment in a zone.
func at(t *testing.T, text, name string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDueTimesKeepToTheClockOnTheWall(t *testing.T) {
	const berlin = "Europe/Berlin" // springs 2026-03-29 02:00 → 03:00, falls back 2026-10-25 03:00 → 02:00
	for _, row := range []struct {
		name  string
		task  Task
		after string
		want  []string // in the zone, with its offset
	}{
		{"every morning", Task{Cron: "0 7 * * *", Zone: berlin}, "2026-03-28 08:00",
			[]string{"2026-03-29 07:00 +0200", "2026-03-30 07:00 +0200"}},
		{"a time that is sprung over comes at once after it", Task{Cron: "30 2 * * *", Zone: berlin}, "2026-03-28 03:00",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200"}},
		{"two times that are sprung over are one", Task{Cron: "0,30 2 * * *", Zone: berlin}, "2026-03-28 03:00",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:00 +0200"}},
		{"an hour that comes twice counts once, the first time", Task{Cron: "30 2 * * *", Zone: berlin}, "2026-10-24 03:00",
			[]string{"2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"}},
		{"every half hour goes by the time that passes", Task{Cron: "*/30 * * * *", Zone: berlin}, "2026-10-25 01:45",
			[]string{"2026-10-25 02:00 +0200", "2026-10-25 02:30 +0200", "2026-10-25 02:00 +0100", "2026-10-25 02:30 +0100", "2026-10-25 03:00 +0100"}},
		{"no half hour is lost in spring", Task{Cron: "*/30 * * * *", Zone: berlin}, "2026-03-29 01:15",
			[]string{"2026-03-29 01:30 +0100", "2026-03-29 03:00 +0200", "2026-03-29 03:30 +0200"}},
		{"midnight that is sprung over", Task{Cron: "0 0 * * *", Zone: "America/Santiago"}, "2026-09-05 12:00", // 24:00 → 01:00
			[]string{"2026-09-06 01:00 -0300", "2026-09-07 00:00 -0300"}},
		{"half an hour of summer", Task{Cron: "45 1 * * *", Zone: "Australia/Lord_Howe"}, "2026-04-04 12:00", // 02:00 → 01:30
			[]string{"2026-04-05 01:45 +1100", "2026-04-06 01:45 +1030"}},
		{"weekdays", Task{Cron: "0 9 * * 1-5", Zone: berlin}, "2026-11-27 10:00",
			[]string{"2026-11-30 09:00 +0100", "2026-12-01 09:00 +0100"}},
		{"once", Task{At: "2026-12-24 18:00", Zone: berlin}, "2026-11-30 12:00", []string{"2026-12-24 18:00 +0100"}},
		{"once, and over", Task{At: "2026-01-01 18:00", Zone: berlin}, "2026-11-30 12:00", nil},
		{"every day by the time that passes", Task{Every: "24h", From: "2026-03-28T07:00:00+01:00", Zone: berlin}, "2026-03-28 08:00",
			[]string{"2026-03-29 08:00 +0200", "2026-03-30 08:00 +0200"}},
		{"a day that never comes", Task{Cron: "0 0 30 2 *", Zone: berlin}, "2026-01-01 00:00", nil},
		{"switched off", Task{Cron: "0 7 * * *", Zone: berlin, Off: true}, "2026-01-01 00:00", nil},
	} {
		zone := row.task.Zone
		var got []string
		for _, due := range row.task.Next(at(t, row.after, zone), max(len(row.want), 1)) {
			got = append(got, due.In(at(t, row.after, zone).Location()).Format("2006-01-02 15:04 -0700"))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q after %s, want %q", row.name, got, row.after, row.want)
		}
	}
}

func TestAScheduleThatCannotBeReadSaysWhy(t *testing.T) {
	for _, task := range []Task{
		{}, {At: "tomorrow"}, {Every: "soon"}, {Every: "1s"}, {Every: "2h", From: "noon"}, {Cron: "every day"}, {Cron: "61 * * * *"},
		{Cron: "0 7 * * *", Every: "2h"}, {Cron: "0 7 * * *", Zone: "Mars/Olympus"}, {Cron: "CRON_TZ=UTC 0 7 * * *"}, {Cron: "@every 2h"},
	} {
		task.Name, task.Prompt = "t", "go"
		if err := task.Check(); !fault.Is(err, fault.Invalid) || fault.Person(err) == "" {
			t.Errorf("%+v: %v", task, err)
		}
	}
}
