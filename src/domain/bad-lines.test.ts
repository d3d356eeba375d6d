import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BadLine,
  BadLines,
  MAX_BAD_LINES_KEPT,
  MAX_REASONS,
  MAX_UNKNOWN_VALUES,
  OTHER_REASONS,
  withExample,
} from './bad-lines.ts'

function counted(...lines: BadLine[]): [string, number, number[]][] {
  const all = new BadLines()
  all.add(lines)
  return all.reasons.map(({ reason, count, firstLines }) => [reason, count, firstLines])
}

test('lines are counted by reason, the most common first, with their first numbers', () => {
  const lines = [2, 3, 4, 5, 6, 7, 8].map(line => ({ line, reason: 'it is too long.' }))
  assert.deepEqual(counted({ line: 1, reason: 'it is not JSON.' }, ...lines), [
    ['it is too long.', 7, [2, 3, 4]],
    ['it is not JSON.', 1, [1]],
  ])
})

test('numbers and quoted names that differ share a reason; those that are the same are shown', () => {
  const reason = (member: string, least: number) => `unknown member ${member}; expected 1 to ${least}.`
  const names = ['"a"', '"b\\"\\" 7"', '"c"', '"…"']
  assert.deepEqual(counted(...names.map((name, index) => ({ line: index + 1, reason: reason(name, 9) }))), [
    ['unknown member …; expected 1 to 9.', 4, [1, 2, 3]],
  ])
  assert.deepEqual(counted({ line: 1, reason: reason('"a"', 9) }), [['unknown member "a"; expected 1 to 9.', 1, [1]]])
})

test('a line with several problems counts for each of them', () => {
  const problem = (member: string) => ({ member, value: undefined, reason: `${member} is missing.` })
  const both = { line: 1, reason: 'both', problems: [problem('name'), problem('categoryId')] }
  assert.deepEqual(counted(both, { line: 2, reason: 'one', problems: [problem('name')] }), [
    ['name is missing.', 2, [1, 2]],
    ['categoryId is missing.', 1, [1]],
  ])
})

test('however many lines there are, a bounded number is kept, and all are counted', () => {
  const all = new BadLines()
  for (let line = 1; line <= 5_000; line += 1) all.add([{ line, reason: `${'x'.repeat(line % 500)} is wrong.` }])
  assert.equal(all.count, 5_000)
  assert.deepEqual([all.first.length, all.first.at(-1)?.line], [MAX_BAD_LINES_KEPT, MAX_BAD_LINES_KEPT])
  assert.equal(all.reasons.length, MAX_REASONS + 1)
  assert.equal(all.reasons[0]?.reason, OTHER_REASONS)
  assert.equal(all.reasons.at(-1)?.count, 10, 'the known ones are still counted')
  assert.equal(
    all.reasons.reduce((sum, { count }) => sum + count, 0),
    5_000,
  )
})

test('lines that are counted but not listed have the reason of the last one', () => {
  const all = new BadLines()
  all.add([{ line: 1, reason: 'there is no animal with id 7.' }], 3_000)
  const reason = 'there is no animal with id 7.'
  assert.deepEqual(all.reasons, [{ reason, example: reason, count: 3_000, firstLines: [1] }])
})

test('a refusal gets the reason of the first line in full; one from an earlier version already has it', () => {
  const all = new BadLines()
  all.add([2, 3].map(line => ({ line, reason: `there is no animal with id ${line + 5}.` })))
  assert.equal(
    withExample('2 lines are invalid.', all.reasons),
    '2 lines are invalid. Line 2: there is no animal with id 7.',
  )
  const stored = all.reasons.map(({ example: _, ...reason }) => reason)
  assert.equal(withExample('It has it.', stored), 'It has it.')
})

test('words that are not known are counted by member, whatever their case, the most frequent first', () => {
  const all = new BadLines()
  for (const [index, value] of ['Foster', 'Adopted', 'adopted', ' ADOPTED ', undefined].entries()) {
    all.add([{ line: index + 2, reason: 'x.', problems: [{ member: 'status', value, reason: 'x.', isUnknown: true }] }])
  }
  all.add([{ line: 9, reason: 'x.', problems: [{ member: 'name', value: 'Adopted', reason: 'x.' }] }])
  assert.deepEqual(all.unknownValues, [
    { member: 'status', value: 'Adopted', count: 3, firstLines: [3, 4, 5] },
    { member: 'status', value: 'Foster', count: 1, firstLines: [2] },
  ])
})

test('however many unknown words there are, only the first are listed, and these are still counted', () => {
  const all = new BadLines()
  const unknown = (value: string) => ({ member: 'status', value, isUnknown: true, reason: 'it is unknown.' })
  for (const value of [...Array(MAX_UNKNOWN_VALUES + 1).keys(), 0, MAX_UNKNOWN_VALUES].map(String)) {
    all.add([{ line: 1, reason: 'it is unknown.', problems: [unknown(value)] }])
  }
  const [most, ...others] = all.unknownValues
  assert.deepEqual([most?.value, most?.count, others.length], ['0', 2, MAX_UNKNOWN_VALUES - 1])
  assert.ok(others.every(({ count }) => count === 1))
})
