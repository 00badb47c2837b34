// Where the reader was, a session each: the first visible row and how far it stood
// from the top. Rows, not pixels: what is above may change its height.

export interface Spot {
  key: string
  offset: number
}

const spots = new Map<string, Spot>()

export function keepSpot(session: string, scroller: HTMLElement, following: boolean): void {
  if (following) { spots.delete(session); return }
  const top = scroller.getBoundingClientRect().top
  for (const row of scroller.querySelectorAll<HTMLElement>('[data-row]')) {
    const r = row.getBoundingClientRect()
    if (r.bottom > top) { spots.set(session, { key: row.dataset.row!, offset: r.top - top }); return }
  }
}

export function spotOf(session: string): Spot | undefined { return spots.get(session) }
