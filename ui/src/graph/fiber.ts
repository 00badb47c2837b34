// What the host says of its parts, and what follows from it. No DOM.

export type FiberState = 'waiting' | 'starting' | 'active' | 'stopping' | 'stopped' | 'failed'

/** One declared use of a service; provider is the path of the fiber that gives it now. */
export interface Use {
  key: string
  optional?: boolean
  provider?: string
}

/** A row of the view "graph". */
export interface Fiber {
  path: string
  plugin: string
  doc?: string
  parent: string
  /** The path of the fiber whose realm it is in, "" for the host's. */
  realm: string
  state: FiberState
  /** Unix milliseconds. */
  since: number
  tookNs: number
  starts: number
  provides?: string[]
  injects?: Use[]
  /** What would be undone, oldest first. */
  holds?: string[]
  missing?: string[]
  reason?: string
}

/** What a fiber stands on: its parent and whoever gives it a service, each once. */
export function standsOn(f: Fiber): string[] {
  return [...new Set([f.parent, ...(f.injects ?? []).map((u) => u.provider ?? '')])].filter(Boolean)
}

/** Who would stop and start with a fiber, in the order of the list. */
export function dependants(all: Fiber[], path: string): Fiber[] {
  const hit = new Set([path])
  for (let grew = true; grew;) {
    grew = false
    for (const f of all) {
      if (hit.has(f.path) || !standsOn(f).some((p) => hit.has(p))) continue
      hit.add(f.path)
      grew = true
    }
  }
  hit.delete(path)
  return all.filter((f) => hit.has(f.path))
}

const urgency: Record<FiberState, number> = { failed: 0, waiting: 1, stopping: 2, starting: 3, stopped: 4, active: 5 }

/** The list beside the drawing: what is not well first, else as plugged. */
export function byUrgency(all: Fiber[]): Fiber[] {
  return all.map((f, i) => ({ f, i })).sort((a, b) => urgency[a.f.state] - urgency[b.f.state] || a.i - b.i).map((x) => x.f)
}

/** True where each word is in the fiber's path, plugin or one of its services. */
export function fits(f: Fiber, words: string): boolean {
  const text = [f.path, f.plugin, f.state, ...(f.provides ?? []), ...(f.injects ?? []).map((u) => u.key)].join(' ').toLowerCase()
  return words.toLowerCase().split(/\s+/).every((w) => text.includes(w))
}
