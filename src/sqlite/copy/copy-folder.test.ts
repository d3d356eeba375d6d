import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { DAY_MS, HOUR_MS } from '../../domain/time.ts'
import { type CopyFile, chainFolder, copyFileName, findOutdated, planRestore } from './copy-folder.ts'

const START = Date.UTC(2027, 2, 1)
const STORE = 'ab'.repeat(16)

test('a file that no point in time within the retention needs is outdated', async t => {
  const folder = await temporaryFolder(t)
  const first = addChain(folder, START, [
    ['full', 0, 0],
    ['changes', 1, HOUR_MS],
  ])
  const second = addChain(folder, START + 2 * HOUR_MS, [
    ['full', 0, 0],
    ['changes', 1, HOUR_MS],
    ['full', 1, DAY_MS],
    ['changes', 2, DAY_MS + HOUR_MS],
  ])
  assert.deepEqual(findOutdated(folder, START - 1), [])
  assert.deepEqual(findOutdated(folder, START + HOUR_MS), [])
  assert.deepEqual(findOutdated(folder, START + 2 * HOUR_MS), [first.folder])
  const outdated = findOutdated(folder, START + 2 * DAY_MS)
  assert.deepEqual(outdated, [first.folder, ...second.files.slice(0, 2)])
})

test('a moment is restored from the last full copy before it, and the changes in between', async t => {
  const folder = await temporaryFolder(t)
  addChain(folder, START, [
    ['full', 0, 0],
    ['changes', 1, 1_000],
    ['changes', 2, 2_000],
    ['full', 2, 2_500],
    ['changes', 3, 3_000],
  ])
  // Its full copy was never completed.
  addChain(folder, START + 10_000, [['changes', 1, 1_000]])
  const planned = (at?: number) => {
    const { full, changes } = planRestore(folder, at)
    return [full, ...changes].map(({ kind, number }) => `${kind} ${number}`)
  }
  assert.deepEqual(planned(START + 999), ['full 0'])
  assert.deepEqual(planned(START + 1_999), ['full 0', 'changes 1'])
  // The full copy from that time has the same state.
  assert.deepEqual(planned(START + 2_400), ['full 2'])
  assert.deepEqual(planned(), ['full 2', 'changes 3'])
})

test('changes that were written twice are restored once, from the later file', async t => {
  const folder = await temporaryFolder(t)
  addChain(folder, START, [
    ['full', 0, 0],
    ['changes', 1, 1_000],
    ['changes', 1, 2_000],
    ['changes', 2, 3_000],
  ])
  const times = planRestore(folder).changes.map(({ at }) => at - START)
  assert.deepEqual(times, [2_000, 3_000])
  assert.deepEqual(
    planRestore(folder, START + 1_500).changes.map(({ at }) => at - START),
    [1_000],
  )
})

test('after the clock was set back, the newest state is still the one with the most changes', async t => {
  const folder = await temporaryFolder(t)
  addChain(folder, START, [
    ['full', 0, 0],
    ['changes', 1, HOUR_MS],
    ['changes', 2, HOUR_MS + 1_000],
    ['changes', 3, 2_000],
    ['changes', 4, 3_000],
  ])
  const planned = (at?: number) => planRestore(folder, at).changes.map(({ number }) => number)
  assert.deepEqual(planned(), [1, 2, 3, 4])
  assert.deepEqual(planned(START + 2_500), [1, 2, 3])
})

test('a folder with several stores is refused, and files of other programs are not looked at', async t => {
  const folder = await temporaryFolder(t)
  addChain(folder, START, [['full', 0, 0]])
  writeFileSync(join(folder, 'README'), '')
  const other = { store: 'cd'.repeat(16), deployment: 'production', startedAt: START + 1 } as const
  assert.equal(basename(planRestore(folder).full.path).endsWith('.full'), true)
  mkdirSync(chainFolder(folder, other))
  assert.throws(() => planRestore(folder), { message: /has copies of 2 different stores\.$/ })
})

type Listed = readonly [kind: CopyFile['kind'], number: number, afterMs: number]

function addChain(folder: string, startedAt: number, files: readonly Listed[]): { folder: string; files: string[] } {
  const chain = chainFolder(folder, { store: STORE, deployment: 'production', startedAt })
  mkdirSync(chain)
  const paths = files.map(([kind, number, afterMs]) => {
    const path = join(chain, copyFileName({ kind, number, at: startedAt + afterMs, sha256: '0'.repeat(64) }))
    writeFileSync(path, '')
    return path
  })
  return { folder: chain, files: paths }
}
