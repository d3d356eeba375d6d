import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeColumns, findMeanings } from './describe-columns.ts'

test('the meanings of a file are found for its lines to correct, which have one more column', () => {
  const columns = ['Animal Name', '', 'Status']
  const entry = { details: { columns: describeColumns(columns), meanings: 'status:Adopted=sold' } }
  for (const names of [columns, ['Animal Name', 'Status', 'problem (not imported)']]) {
    assert.deepEqual(findMeanings([entry], names)?.meanings, new Map([['status:adopted', 'sold']]))
  }
  assert.equal(findMeanings([entry], ['Name', 'Status']), undefined)
})

test('the word of a meaning may have an equals sign', () => {
  const entry = { details: { columns: 'Type', meanings: 'status:A=sold\ncategoryId:B=C=7' } }
  const meanings = [
    ['status:a', 'sold'],
    ['categoryid:b=c', '7'],
  ] as const
  assert.deepEqual(findMeanings([entry], ['Type'])?.meanings, new Map(meanings))
})
