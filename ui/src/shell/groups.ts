// Sessions by day: today, yesterday, last week, then by month. Forks stand under
// their origin, helpers' sessions are not listed.

import type { SessionRow } from '../wire'

export interface Group {
  /** A catalog word, or '' where it is a month. */
  word: 'pinned' | 'today' | 'yesterday' | 'week' | ''
  /** Any time in the month. */
  at: number
  rows: SessionRow[]
}

export function groupsOf(all: SessionRow[], now: number): Group[] {
  const listed = all.filter((s) => !s.archived && !s.parent).sort((a, b) => b.at - a.at)
  const forks = new Map<string, SessionRow[]>()
  const ids = new Set(listed.map((s) => s.id))
  const heads = listed.filter((s) => {
    if (!s.forkOf || !ids.has(s.forkOf) || s.forkOf === s.id) return true
    forks.set(s.forkOf, [...(forks.get(s.forkOf) ?? []), s])
    return false
  })
  const groups: Group[] = []
  for (const s of [...heads.filter((h) => h.pinned), ...heads.filter((h) => !h.pinned)]) {
    const word = s.pinned ? 'pinned' : dayWord(s.at, now)
    const last = groups[groups.length - 1]
    const rows = [s, ...family(s.id, forks)]
    if (last && last.word === word && (word || sameMonth(last.at, s.at))) last.rows.push(...rows)
    else groups.push({ word, at: s.at, rows })
  }
  return groups
}

function family(id: string, forks: Map<string, SessionRow[]>): SessionRow[] {
  return (forks.get(id) ?? []).flatMap((f) => [f, ...family(f.id, forks)])
}

function dayWord(at: number, now: number): Group['word'] {
  const midnight = new Date(now)
  midnight.setHours(0, 0, 0, 0)
  const days = (midnight.getTime() - at) / 86_400_000
  if (days <= 0) return 'today'
  if (days <= 1) return 'yesterday'
  return days <= 7 ? 'week' : ''
}

function sameMonth(a: number, b: number): boolean {
  const x = new Date(a), y = new Date(b)
  return x.getMonth() === y.getMonth() && x.getFullYear() === y.getFullYear()
}
