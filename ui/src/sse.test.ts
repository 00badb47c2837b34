import { same } from './check'
import { SseParser } from './sse'

const wire = ': hello\nevent: log\nid: 12.ab\ndata: {"a":1}\n\nevent: beat\ndata:\n\nevent: live\r\ndata: x\r\ndata: y\r\n\r\n'

test('frames are the same wherever the stream is cut', () => {
  const want = new SseParser().push(wire)
  same(want, [{ event: 'log', id: '12.ab', data: '{"a":1}' }, { event: 'beat', id: '12.ab', data: '' }, { event: 'live', id: '12.ab', data: 'x\ny' }])
  for (let cut = 0; cut <= wire.length; cut++) {
    const p = new SseParser()
    same([...p.push(wire.slice(0, cut)), ...p.push(wire.slice(cut))], want, `cut at ${cut}`)
  }
})

test('a frame that is not finished is not given', () => same(new SseParser().push('event: log\ndata: {"a"'), []))
