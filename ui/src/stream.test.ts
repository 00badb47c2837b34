import { same } from './check'

test('the engine runs', () => same(1 + 1, 2))
