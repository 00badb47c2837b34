// The board as the host tells it: each frame but the first has only the new samples.

export interface Sample { at: number; running: number; queued: number; writeRate: number; readRate: number }
export interface Figures { writeRate: number; readRate: number; busy: number; slots: number; waiting: number; cache: number; memory: number; videoMemory: number }
export interface Engine { name: string; now: Figures; history: ({ at: number } & Figures)[] | null }
export interface Agent { session: string; title?: string; state: string; activity?: string; route?: string; writeRate: number; readRate: number; reuse: number }
export interface Board { now: Sample; agents: Agent[]; engines: Engine[]; history: Sample[] }

const kept = 360

/** The samples of both, oldest first, none twice. */
function join<S extends { at: number }>(old: S[], fresh: S[]): S[] {
  const last = old.at(-1)?.at ?? 0
  return [...old, ...fresh.filter((s) => s.at > last)].slice(-kept)
}

/** A frame on top of what was known. */
export function fold(known: Board | undefined, frame: Board): Board {
  return {
    ...frame,
    history: join(known?.history ?? [], frame.history),
    engines: frame.engines.map((e) => ({ ...e, history: join(known?.engines.find((o) => o.name === e.name)?.history ?? [], e.history ?? []) })),
  }
}
