import { clock, t } from '../../i18n/t'

export type Point = readonly [at: number, value: number]

const hour = 3_600_000

/** A number with its last hour as a line, and as a table; below 0 is unknown. */
export function Gauge({ name, value, points, say }: { name: string; value: number; points: Point[]; say: (n: number) => string }) {
  const known = points.filter(([, v]) => v >= 0)
  const end = known.at(-1)?.[0] ?? 0
  const top = Math.max(1e-9, ...known.map(([, v]) => v))
  const line = known.map(([at, v], i) => (i ? 'L' : 'M') + (100 * (1 - (end - at) / hour)).toFixed(2) + ' ' + (34 - (32 * v) / top).toFixed(2)).join('')
  return (
    <div class="gauge">
      <span>{name}</span>
      <b class="num">{value < 0 ? t('monitor.unknown') : say(value)}</b>
      <svg viewBox="0 0 100 36" preserveAspectRatio="none" aria-hidden="true"><path d={line} /></svg>
      {known.length > 0 && (
        <details>
          <summary>{t('monitor.table')}</summary>
          <div class="rows" tabIndex={0} role="group" aria-label={name}>
            <table>
              <thead><tr><th scope="col">{t('monitor.time')}</th><th scope="col">{t('monitor.figure')}</th></tr></thead>
              <tbody>{known.toReversed().map(([at, v]) => <tr key={at}><td>{clock(at)}</td><td class="num">{say(v)}</td></tr>)}</tbody>
            </table>
          </div>
        </details>
      )}
    </div>
  )
}
