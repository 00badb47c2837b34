import { same } from '../check'
import { mentionAt, quotedPath } from './mention'

test('a mention begins at an at sign after a blank, and an address is none', () => {
  same(mentionAt('look at @src/ma', 15), { from: 8, words: 'src/ma' })
  same(mentionAt('@', 1), { from: 0, words: '' })
  same(mentionAt('(@a and', 3), { from: 1, words: 'a' })
  same(mentionAt('kim@example.org', 15), undefined)
  same(mentionAt('@a b', 4), undefined)
})

test('a path with blanks stands in quotes', () => {
  same([quotedPath('a b.txt'), quotedPath('a.txt')], ['"a b.txt"', 'a.txt'])
})
