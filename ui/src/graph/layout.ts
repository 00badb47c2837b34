// Where each part stands in the drawing: what others stand on is first, in columns
// from left to right, or in bands from top to bottom where there is little room.
// Deterministic; no DOM.

import { standsOn } from './fiber'
import type { Fiber } from './fiber'

export interface Box { path: string; x: number; y: number; w: number; h: number }
export interface Line { from: string; to: string; path: string; optional: boolean }
export interface Drawing { boxes: Box[]; lines: Line[]; width: number; height: number }

const height = 46, gap = 10
const narrowest = 124, widest = 216
const channel = 36 // between columns and bands, for the lines

/** Draws the parts into a room of that width, in pixels. */
export function draw(all: Fiber[], room: number): Drawing {
  const ranks = ordered(all)
  const columns = (room + channel) / ranks.length - channel
  const boxes = columns >= narrowest ? inColumns(ranks, Math.min(widest, columns), room) : inBands(ranks, room)
  const at = new Map(boxes.map((b) => [b.path, b]))
  const across = columns >= narrowest
  return {
    boxes, lines: all.flatMap((f) => linesOf(f, at, across)),
    width: room, height: Math.max(0, ...boxes.map((b) => b.y + b.h)),
  }
}

/** Each fiber's rank is one more than the highest of those it stands on. */
function ordered(all: Fiber[]): Fiber[][] {
  const known = new Map(all.map((f) => [f.path, f]))
  const rank = new Map<string, number>()
  const rankOf = (f: Fiber): number => {
    const found = rank.get(f.path)
    if (found !== undefined) return found
    rank.set(f.path, 0) // a circle, which the host refuses, would end here
    const below = standsOn(f).flatMap((p) => known.get(p) ?? [])
    const mine = below.length ? 1 + Math.max(...below.map(rankOf)) : 0
    rank.set(f.path, mine)
    return mine
  }
  const ranks: Fiber[][] = []
  for (const f of all) (ranks[rankOf(f)] ??= []).push(f)
  return untangled(ranks.filter(Boolean)) // a circle leaves a rank without anyone
}

/** Puts each fiber near those it is tied to, a few sweeps to and fro. */
function untangled(ranks: Fiber[][]): Fiber[][] {
  const ties = new Map<string, string[]>()
  const tie = (a: string, b: string) => ties.set(a, [...(ties.get(a) ?? []), b])
  for (const f of ranks.flat()) for (const p of standsOn(f)) { tie(f.path, p); tie(p, f.path) }
  const place = new Map<string, number>()
  const number = (rank: Fiber[]) => rank.forEach((f, i) => place.set(f.path, (i + 0.5) / rank.length))
  ranks.forEach(number)
  const middle = (f: Fiber): number => {
    const near = (ties.get(f.path) ?? []).flatMap((p) => place.get(p) ?? [])
    return near.length ? near.reduce((a, b) => a + b, 0) / near.length : 1 // what is tied to nothing stands last
  }
  for (let sweep = 0; sweep < 4; sweep++) {
    for (let i = 0; i < ranks.length; i++) {
      const at = sweep % 2 ? ranks.length - 1 - i : i
      ranks[at] = ranks[at]!.map((f) => ({ f, m: middle(f) })).sort((a, b) => a.m - b.m).map((x) => x.f)
      number(ranks[at]!)
    }
  }
  return ranks
}

function inColumns(ranks: Fiber[][], w: number, room: number): Box[] {
  const tallest = Math.max(0, ...ranks.map((r) => r.length)) * (height + gap) - gap
  const step = ranks.length > 1 ? (room - w) / (ranks.length - 1) : 0
  return ranks.flatMap((rank, column) => {
    const top = (tallest - (rank.length * (height + gap) - gap)) / 2
    return rank.map((f, i) => ({ path: f.path, x: column * step, y: top + i * (height + gap), w, h: height }))
  })
}

function inBands(ranks: Fiber[][], room: number): Box[] {
  const each = Math.max(1, Math.floor((room + gap) / (narrowest + gap)))
  const w = (room - (each - 1) * gap) / each
  const boxes: Box[] = []
  let y = 0
  for (const rank of ranks) {
    rank.forEach((f, i) => boxes.push({ path: f.path, x: (i % each) * (w + gap), y: y + Math.floor(i / each) * (height + gap), w, h: height }))
    y += Math.ceil(rank.length / each) * (height + gap) - gap + channel
  }
  return boxes
}

function linesOf(f: Fiber, at: Map<string, Box>, across: boolean): Line[] {
  const to = at.get(f.path)!
  return standsOn(f).flatMap((path): Line[] => {
    const from = at.get(path)
    if (!from) return []
    const uses = (f.injects ?? []).filter((u) => u.provider === path)
    return [{ from: path, to: f.path, optional: uses.length > 0 && uses.every((u) => u.optional), path: across ? curveAcross(from, to) : curveDown(from, to) }]
  })
}

const n = (x: number) => Math.round(x * 10) / 10

function curveAcross(a: Box, b: Box): string {
  const x1 = a.x + a.w, y1 = a.y + a.h / 2, y2 = b.y + b.h / 2, bend = Math.max(24, (b.x - x1) / 2)
  return `M${n(x1)} ${n(y1)}C${n(x1 + bend)} ${n(y1)} ${n(b.x - bend)} ${n(y2)} ${n(b.x)} ${n(y2)}`
}

function curveDown(a: Box, b: Box): string {
  const x1 = a.x + a.w / 2, y1 = a.y + a.h, x2 = b.x + b.w / 2, bend = Math.max(18, (b.y - y1) / 2)
  return `M${n(x1)} ${n(y1)}C${n(x1)} ${n(y1 + bend)} ${n(x2)} ${n(b.y - bend)} ${n(x2)} ${n(b.y)}`
}

/** The box that an arrow key leads to from one: the nearest that lies that way. */
export function neighbour(boxes: Box[], from: string, key: string): string | undefined {
  const here = boxes.find((b) => b.path === from)
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key]
  if (!here || !way) return undefined
  const [dx, dy] = way as [number, number]
  const far = (b: Box): number => {
    const x = b.x + b.w / 2 - here.x - here.w / 2, y = b.y + b.h / 2 - here.y - here.h / 2
    const along = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx)
    return along < height / 2 ? Infinity : along + 3 * aside
  }
  const best = boxes.reduce<{ path?: string; far: number }>((a, b) => (far(b) < a.far ? { path: b.path, far: far(b) } : a), { far: Infinity })
  return best.path
}
