import type { ComponentChildren } from 'preact'

/** A setting: name, one sentence, control. */
export function Row({ name, about, children }: { name: ComponentChildren; about?: ComponentChildren; children?: ComponentChildren }) {
  return <div class="setting"><div><div class="nm" dir="auto">{name}</div>{about && <div class="ds">{about}</div>}</div><div class="control">{children}</div></div>
}

export function Part({ id, title, about, children }: { id: string; title: string; about?: string; children: ComponentChildren }) {
  return <section aria-labelledby={id}><h2 id={id}>{title}</h2>{about && <p class="ds">{about}</p>}{children}</section>
}

export function Switch({ name, on, set }: { name: string; on: boolean; set: (on: boolean) => void }) {
  return <button type="button" class="switch" role="switch" aria-checked={on} aria-label={name} onClick={() => set(!on)}><i /></button>
}

export function Radios({ name, value, choices, pick }: { name: string; value: string; choices: [string, string][]; pick: (value: string) => void }) {
  return (
    <div class="radios" role="radiogroup" aria-label={name}>
      {choices.map(([v, label]) => <label key={v}><input type="radio" name={name} value={v} checked={v === value} onChange={() => pick(v)} /><span>{label}</span></label>)}
    </div>
  )
}
