// What the unit tests of the core use; they run in a bare engine, see tools/webbuild.
declare global {
  function test(promise: string, body: () => void): void
}

/** Throws with both values where got and want differ as JSON. */
export function same(got: unknown, want: unknown, what = 'value'): void {
  const g = JSON.stringify(got, null, 1), w = JSON.stringify(want, null, 1)
  if (g !== w) throw new Error(`${what}:\ngot  ${g}\nwant ${w}`)
}

/** Throws unless the fact holds. */
export function holds(fact: unknown, what: string): asserts fact {
  if (!fact) throw new Error(`does not hold: ${what}`)
}
