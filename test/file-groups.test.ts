import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { groupFiles } from './support/file-groups.ts'
import { temporaryFolder } from './support/folder.ts'
import type { Outcome } from './support/outcomes-reporter.ts'
import { runTests } from './support/run-tests.ts'

test('every file is in one group, and the first ones come first', { timeout: 30_000 }, async t => {
  const folder = await temporaryFolder(t)
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) writeFileSync(join(folder, `${name}.js`), passing(name))
  const groups = groupFiles(
    await temporaryFolder(t),
    names.map(name => join(folder, `${name}.js`)),
    2,
  )
  assert.equal(groups.length, 3)
  assert.deepEqual(await namesRunBy(t, groups[0]), ['a', 'd'])
  assert.deepEqual(await namesRunBy(t, groups[1]), ['b', 'e'])
  assert.deepEqual(await namesRunBy(t, groups[2]), ['c'])
})

test('a file that cannot be loaded, or has a failing test, does not fail other files', { timeout: 30_000 }, async t => {
  const outcomes = await runTogether(t, {
    'first.js': passing('before'),
    'broken.js': 'this is not a program',
    'failing.js': `import { test } from 'node:test'\ntest('wrong', () => { throw new Error('as it should') })\n`,
    'last.js': passing('behind'),
  })
  assert.deepEqual(
    outcomes.map(({ name, outcome }) => [name.replace(/^.*\//, ''), outcome]),
    [
      ['before', 'passed'],
      ['broken.js', 'failed'],
      ['wrong', 'failed'],
      ['behind', 'passed'],
    ],
  )
})

test('resources that a file starts while loading stay until its last test, however early the previous tests end', {
  timeout: 30_000,
}, async t => {
  const outcomes = await runTogether(t, {
    'quick.js': passing('quick'),
    'slow.js': `import { after, test } from 'node:test'
      import { setTimeout } from 'node:timers/promises'
      let isOpen = true
      after(() => { isOpen = false })
      await setTimeout(100)
      test('slow', () => { if (!isOpen) throw new Error('ended too early') })\n`,
  })
  assert.deepEqual(
    outcomes.map(({ name, outcome, error }) => [name, outcome, error]),
    [
      ['quick', 'passed', undefined],
      ['slow', 'passed', undefined],
    ],
  )
})

function passing(name: string): string {
  return `import { test } from 'node:test'\ntest(${JSON.stringify(name)}, () => {})\n`
}

type Named = Outcome & { name: string }

async function runTogether(t: TestContext, files: Readonly<Record<string, string>>): Promise<Named[]> {
  const folder = await temporaryFolder(t)
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  })
  const [group] = groupFiles(await temporaryFolder(t), paths, paths.length)
  return outcomesOf(t, group)
}

async function namesRunBy(t: TestContext, group: string | undefined): Promise<string[]> {
  return (await outcomesOf(t, group)).map(({ name }) => name)
}

/** Without the test that waits for the files. */
async function outcomesOf(t: TestContext, group = ''): Promise<Named[]> {
  const { outcomes } = await runTests(t, [group])
  return outcomes
    .map(outcome => ({ ...outcome, name: outcome.test.replace(/^[^:]*: /, '') }))
    .filter(({ name }) => name !== 'the files are loaded')
}
