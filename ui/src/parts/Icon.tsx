// Icons on a 16 px grid, 1.5 px lines. They never carry meaning alone: a word stands
// beside them, or the button has a name.

const lines = {
  alert: ['M8 4.6v4M8 11.2v.2', 'M8 1.8 14.4 13H1.6z'],
  archive: ['M2.5 3.5h11v3h-11zM3.5 6.5v6h9v-6M6.5 9h3'],
  attach: ['m12.5 7.5-5 5a3 3 0 0 1-4.2-4.2l5.4-5.4a2 2 0 0 1 2.8 2.8L6.2 11a1 1 0 0 1-1.4-1.4l4.6-4.6'],
  bar: ['M4 8h8'],
  check: ['m3.5 8.5 3 3 6-7'],
  chevron: ['m6 4 4 4-4 4'],
  chip: ['M4.5 6A1.5 1.5 0 0 1 6 4.5h4A1.5 1.5 0 0 1 11.5 6v4a1.5 1.5 0 0 1-1.5 1.5H6A1.5 1.5 0 0 1 4.5 10z', 'M6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14'],
  clock: ['M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M8 5v3.2l2 1.3'],
  column: ['M2.5 5a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2z', 'M6.5 3v10'],
  copy: ['M5.5 7A1.5 1.5 0 0 1 7 5.5h4.5A1.5 1.5 0 0 1 13 7v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12z', 'M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4.5A1.5 1.5 0 0 0 3 4v5.5A1.5 1.5 0 0 0 4.5 11h1'],
  cross: ['m4 4 8 8M12 4l-8 8'],
  down: ['m4 6 4 4 4-4'],
  edit: ['m9.8 3.4 2.8 2.8L6 12.8l-3.4.6.6-3.4z'],
  export: ['M5 8.5H3V13h10V8.5h-2M8 10V2.5M5.3 5.2 8 2.5l2.7 2.7'],
  eye: ['M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8z', 'M6.2 8a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 1 0-3.6 0'],
  file: ['M4 2.5h5l3 3v8H4z', 'M9 2.5v3h3'],
  flag: ['M4 14V2.8M4 3.2h7.5L9.8 6l1.7 2.8H4'],
  folder: ['M2.5 12.5v-8.500h4l1.500 2h5.500v6.500z'],
  fork: ['M2.9 3.8a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0M9.9 3.8a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0M6.4 12.4a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0', 'M4.5 5.4c0 3 3.5 2.4 3.5 5.4 0-3 3.5-2.4 3.5-5.4'],
  gear: ['M6 8a2 2 0 1 0 4 0 2 2 0 1 0-4 0', 'M8 2v1.8M8 12.2V14M2 8h1.8M12.2 8H14M3.8 3.8 5 5M11 11l1.2 1.2M12.2 3.8 11 5M5 11l-1.2 1.2'],
  globe: ['M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M2.5 8h11M8 2.5c2 2 2.6 3.6 2.6 5.5S10 11.5 8 13.500M8 2.500C6 4.5 5.4 6.1 5.4 8S6 11.5 8 13.5'],
  graph: ['M2 3.5h4v3H2zM10 2.5h4v3h-4zM10 10.5h4v3h-4z', 'M6 5h2V4h2M8 5v7h2'],
  keys: ['M2 5.500a1.5 1.5 0 0 1 1.5-1.500h9A1.5 1.5 0 0 1 14 5.500v5a1.5 1.5 0 0 1-1.5 1.500h-9A1.5 1.5 0 0 1 2 10.500z', 'M4.6 6.500h.1M7 6.500h.1M9.4 6.500h.1M11.6 6.500h.1M5.5 9.500h5'],
  list: ['M6 4.500h7.500M6 8h7.500M6 11.500h7.500M2.7 4.500h.1M2.7 8h.1M2.7 11.500h.1'],
  menu: ['M2.5 4.5h11M2.5 8h11M2.5 11.500h11'],
  more: ['M3.5 8h.1M8 8h.1M12.5 8h.1'],
  newest: ['M8 3v9.500M4 8.800l4 4 4-4'],
  pen: ['M3 13h10', 'm10.2 3.2 2 2L7 10.500l-2.6.6.6-2.600z'],
  plus: ['M8 3v10M3 8h10'],
  ring: ['M3 8a5 5 0 1 0 10 0 5 5 0 1 0-10 0'],
  search: ['M2.8 7a4.2 4.2 0 1 0 8.4 0 4.2 4.2 0 1 0-8.4 0M10.2 10.2l3.3 3.3'],
  send: ['M8 13V3.500M3.8 7.5 8 3.300l4.2 4.2'],
  shield: ['M8 2 3 4v3.800c0 3 2.1 5.2 5 6.2 2.9-1 5-3.2 5-6.200V4z'],
  spark: ['M8 2.500c.4 3 2.5 5.1 5.5 5.5-3 .4-5.1 2.5-5.5 5.5-.4-3-2.5-5.1-5.5-5.5 3-.4 5.1-2.5 5.5-5.500z'],
  stopped: ['M4.5 4.500h7v7h-7z'],
  trash: ['M3 4.500h10M6.5 4.500V3h3v1.500M4.5 4.500l.6 8.500h5.800l.6-8.5'],
} as const

export type IconName = keyof typeof lines

export function Icon({ name, size = 16, class: cls }: { name: IconName; size?: number; class?: string }) {
  return (
    <svg class={cls} width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      {lines[name].map((d) => <path key={d} d={d} />)}
    </svg>
  )
}

/** Something runs. The word beside it says what. */
export function Spin() { return <span class="spin" aria-hidden="true" /> }

export function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke-linecap="round" aria-hidden="true">
      <path d="M3.5 6.500C7 3.6 17 3.6 20.5 6.500M3.5 6.5 8 14M20.5 6.5 16 14" stroke="var(--text-2)" stroke-width="2" />
      <circle cx="12" cy="16" r="4.5" stroke="var(--accent)" stroke-width="2.2" />
    </svg>
  )
}
