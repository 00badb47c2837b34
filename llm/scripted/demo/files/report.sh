#!/bin/sh
# Prints the highest high water of each day.
awk -F, '
	NR > 1 && $3 < best[$1] { best[$1] = $3 }
	END { for (day in best) print day, best[day] " m" }
' tides.csv | sort
