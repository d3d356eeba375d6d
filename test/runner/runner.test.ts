import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../support/folder.ts'

// A run ends, whatever its tests do, names what took too long, and runs everything else.

const PROGRAM = fileURLToPath(new URL('../run.ts', import.meta.url))
/** Most limits are 1.2 s then. */
const LIMITS = '0.005'
const WAIT_FOREVER = 'setInterval(() => {}, 1_000); await new Promise(() => {})'
const FAIL_ONCE = `
  const mark = import.meta.filename + '.mark'
  if (existsSync(mark)) return
  writeFileSync(mark, '')
  throw new Error('the first time', { cause: new Error('its cause') })`

// Most of the time, each of them waits for a limit.
describe('a run', { concurrency: 3 }, () => {
  test('a test that never ends is named, and the tests after it are run', async t => {
    const { output, code, counts } = await run(t, {
      'one.mjs': `test('waits', async () => { ${WAIT_FOREVER} })\ntest('comes next', () => {})`,
    })
    assert.match(output, /✖ waits .*✔ comes next .*'test timed out after 1200ms'/s)
    assert.equal(code, 1)
    assert.equal(counts.cancelled, 1)
    assert.equal(counts.pass, 1)
  })

  test('a file that never finishes loading is named, and the other files are run', async t => {
    const { output, code } = await run(t, { 'one.mjs': WAIT_FOREVER, 'two.mjs': "test('is run', () => {})" })
    assert.match(output, /✖ \S*one\.mjs .*still loading after 1\.2 s/s)
    assert.match(output, /✔ is run/)
    assert.equal(code, 1)
  })

  test('a timer that a test leaves behind is named, although the test has passed', async t => {
    const { output, code, counts } = await run(t, {
      'one.mjs': "test('leaves a timer', () => void setInterval(() => {}, 1_000))",
    })
    assert.match(output, /✔ leaves a timer .*✖ \S*one\.mjs.*Still open 0\.6 s after the last test: Timeout/s)
    assert.equal(code, 1)
    assert.deepEqual([counts.pass, counts.fail], [1, 1])
  })

  test('a process that is stuck is ended', async t => {
    const stuck = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
    const { output, code } = await run(t, { 'one.mjs': `test('stuck', () => { ${stuck} })` })
    assert.match(output, /✖ \S*one\.mjs.*No test ended for 6 s/s)
    assert.equal(code, 1)
  })

  test('a test that ends its process, or fails after its end, fails the run', async t => {
    const { output, code } = await run(t, {
      'one.mjs': "test('exits', () => process.exit(0))",
      'two.mjs': "test('fails later', () => void setTimeout(() => { throw new Error('too late') }, 20))",
    })
    assert.match(output, /✖ \S*one\.mjs.*The process did not end normally/s)
    assert.match(output, /✖ \S*two\.mjs.*too late/s)
    assert.equal(code, 1)
  })

  test('a file that fails beside others, and passes when it is run once more, is listed as flaky', async t => {
    const { output, code, counts } = await run(t, {
      'one.mjs': `test('fails once', () => { ${FAIL_ONCE} })\ntest('passes', () => {})`,
      'two.mjs': "test('is run', () => {})",
    })
    assert.match(output, /^ℹ FLAKY: \S*one\.mjs: fails once$/m)
    assert.match(output, /^FAILED, and will run once more: \S*one\.mjs: fails once\nError: the first time/m)
    assert.match(output, /^ +\[cause\]: Error: its cause$/m)
    assert.doesNotMatch(output, /✖|failing tests/)
    assert.equal(code, 0)
    assert.deepEqual(counts, { tests: 3, suites: 0, pass: 3, fail: 0, cancelled: 0, skipped: 0, todo: 0 })
  })

  test('a file that fails twice fails the run; its tests are counted once', async t => {
    const { output, code, counts } = await run(t, {
      'one.mjs':
        "describe('all', () => { test('fails', () => { throw new Error('wrong') }); test('passes', () => {}) })",
      'two.mjs': "test('is left out', { skip: true }, () => {})\ntest('is run', () => {})",
    })
    assert.match(output, /ℹ duration_ms [\d.]+\n\n✖ failing tests:\n\ntest at \S*one\.mjs:\d+:\d+\n✖ fails /)
    assert.doesNotMatch(output, /FLAKY/)
    assert.equal(code, 1)
    assert.deepEqual(counts, { tests: 4, suites: 1, pass: 2, fail: 1, cancelled: 0, skipped: 1, todo: 0 })
  })

  test('a file that is run by itself is not run once more', async t => {
    const { code } = await run(t, { 'one.mjs': `test('fails once', () => { ${FAIL_ONCE} })` })
    assert.equal(code, 1)
  })

  test('of files that share a process, those that fail are run once more', async t => {
    const { output, code } = await run(
      t,
      {
        'broken.mjs': 'this is not a program',
        'failing.mjs': "test('fails', () => { throw new Error('wrong') })",
        'hooked.mjs': "after(() => { throw new Error('wrong hook') })\ntest('has a hook', () => {})",
        'passing.mjs': "console.log('passing.mjs is loaded')\ntest('passes', () => {})",
      },
      { program: TOGETHER },
    )
    assert.deepEqual(failuresIn(output), [
      ['broken.mjs', 1],
      ['failing.mjs', 1],
      ['hooked.mjs', 1],
      ['passing.mjs', 0],
    ])
    assert.equal(output.split('passing.mjs is loaded').length - 1, 1)
    assert.equal(code, 0)
  })

  test('if a shared process fails as a whole, each of its files is run once more, so that the reason is found', async t => {
    const { output } = await run(
      t,
      {
        'exits.mjs': "test('exits', () => process.exit(0))",
        'passing.mjs': "test('passes', () => {})",
        'throws.mjs': `test('throws', async () => {
          setTimeout(() => { throw new Error('nothing catches this') })
          await new Promise(resolve => setTimeout(resolve, 50))
        })`,
      },
      { program: TOGETHER },
    )
    assert.deepEqual(failuresIn(output), [
      ['exits.mjs', 1],
      ['passing.mjs', 0],
      ['throws.mjs', 1],
    ])
  })

  test('resources that a file starts while loading stay until its last test, however early the previous tests end', async t => {
    const slow = `let isOpen = true
      after(() => { isOpen = false })
      await new Promise(resolve => setTimeout(resolve, 100))
      test('slow', () => { if (!isOpen) throw new Error('ended too early') })`
    const { output } = await run(t, { 'quick.mjs': "test('quick', () => {})", 'slow.mjs': slow }, { program: TOGETHER })
    assert.deepEqual(failuresIn(output), [
      ['quick.mjs', 0],
      ['slow.mjs', 0],
    ])
  })
})

/** Runs all files in one process, and prints the number of failures in each of them. */
const TOGETHER = fileURLToPath(new URL('run-together.ts', import.meta.url))

/** Runs files with these contents. */
async function run(t: TestContext, contents: Record<string, string>, { program = PROGRAM } = {}) {
  const folder = await temporaryFolder(t)
  const files = Object.entries(contents).map(([name, content]) => {
    const file = join(folder, name)
    writeFileSync(file, `${HEAD}${content}\n`)
    return file
  })
  const { NODE_TEST_CONTEXT: _, FORCE_COLOR: __, CI: ___, ...inherited } = process.env
  const env = { ...inherited, NO_COLOR: '1', PETSTORE_TEST_LIMITS: LIMITS }
  const { promise, resolve } = Promise.withResolvers<{ output: string; code: number }>()
  execFile(process.execPath, [program, ...files], { env, signal: t.signal }, (error, output) => {
    resolve({ output, code: Number(error?.code ?? 0) })
  })
  const { output, code } = await promise
  return { output, code, counts: countsIn(output) }
}

const HEAD = `import { after, describe, test } from 'node:test'
import { existsSync, writeFileSync } from 'node:fs'
`

/** By file, from the last line. */
function failuresIn(output: string): unknown {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}

/** By the lines that end a run. */
function countsIn(output: string): Record<string, number> {
  const lines = output.matchAll(/^ℹ (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, name, count]) => [name, Number(count)]))
}
