import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeLabels } from './undone-label.ts'

test('labels are described by what becomes of them, and of many only the first', () => {
  const many = Array.from({ length: 13 }, (_, index) => {
    return { categoryId: BigInt(index + 1), label: `Kind ${index}`, outcome: 'returned' } as const
  })
  const other = { categoryId: 40n, label: 'Dogs', outcome: 'changed' } as const
  const [returned = '', changed, ...rest] = describeLabels([other, ...many])
  assert.match(returned, /^Labelled again: category 1 \(Kind 0\), .*, category 10 \(Kind 9\) and 3 more\.$/)
  assert.match(describeLabels(many.slice(0, 10))[0] ?? '', /, category 10 \(Kind 9\)\.$/)
  assert.equal(changed, 'Label not undone, because of later changes: category 40 (Dogs).')
  assert.deepEqual([rest, describeLabels([])], [[], []])
})
