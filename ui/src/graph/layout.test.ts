import { holds, same } from '../check'
import { byUrgency, dependants, fits } from './fiber'
import type { Fiber } from './fiber'
import { draw, neighbour } from './layout'

const fiber = (path: string, on: string[] = [], more: Partial<Fiber> = {}): Fiber => ({
  path, plugin: path, parent: '', realm: '', state: 'active', since: 1, tookNs: 1, starts: 1,
  injects: on.map((p) => ({ key: 'of.' + p, provider: p })), ...more,
})
const all = [fiber('store'), fiber('tools'), fiber('sessions', ['store']), fiber('agent', ['sessions', 'tools']), fiber('alone')]

test('what others stand on is drawn before them, and nothing overlaps', () => {
  for (const room of [900, 336]) {
    const { boxes, lines } = draw(all, room)
    const at = Object.fromEntries(boxes.map((b) => [b.path, b]))
    same(lines.map((l) => l.from + ' ' + l.to), ['store sessions', 'sessions agent', 'tools agent'])
    for (const l of lines) holds(room > 400 ? at[l.from]!.x + at[l.from]!.w < at[l.to]!.x : at[l.from]!.y + at[l.from]!.h < at[l.to]!.y, `${l.from} before ${l.to} in ${room}`)
    for (const b of boxes) holds(b.x >= 0 && b.x + b.w <= room + 0.5, `${b.path} lies inside ${room}`)
    for (const a of boxes) for (const b of boxes) holds(a === b || a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y, `${a.path} beside ${b.path}`)
  }
})

test('a thousand parts are drawn, a circle too', () => {
  const many = Array.from({ length: 1000 }, (_, i) => fiber('f' + i, i ? ['f' + Math.floor(i / 2)] : []))
  same(draw(many, 800).boxes.length, 1000)
  same(draw([fiber('a', ['b']), fiber('b', ['a'])], 800).boxes.length, 2)
})

test('a restart names all that stands on a part, at any distance', () => {
  same(dependants(all, 'store').map((f) => f.path), ['sessions', 'agent'])
  same(dependants(all, 'alone'), [])
})

test('arrow keys lead to the nearest part that way', () => {
  const { boxes } = draw(all, 900)
  same(neighbour(boxes, 'sessions', 'ArrowRight'), 'agent')
  same(neighbour(boxes, 'agent', 'ArrowRight'), undefined)
  same(neighbour(boxes, 'agent', 'ArrowLeft'), 'sessions')
})

test('what is not well comes first, and words find parts by service', () => {
  same(byUrgency([fiber('a'), fiber('b', [], { state: 'failed' }), fiber('c', [], { state: 'waiting' })]).map((f) => f.path), ['b', 'c', 'a'])
  holds(fits(all[3]!, 'agent of.tools') && !fits(all[3]!, 'of.store'), 'the filter')
})
