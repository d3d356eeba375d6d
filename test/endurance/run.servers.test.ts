import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { NotPossible } from '../support/servers/needs.ts'
import { formatReports, isPassed } from './report.ts'
import { runScenario } from './run.ts'
import type { Scenario } from './scenario.ts'
import { kill } from './scenarios/kill.ts'
import { SCENARIOS } from './scenarios.ts'

// The runner itself. Its scenarios take most of an hour: `npm run endure`.

test('a scenario passes with this service, and its results are in the table', async () => {
  const report = await runScenario(kill, { isQuick: true })
  assert.deepEqual([report.failures, report.impossible], [[], undefined])
  const { acknowledged, found, lost, doubled, hung, serverErrors } = report.figures
  assert.ok(acknowledged > 0)
  assert.deepEqual(
    { found, lost, doubled, hung, serverErrors },
    { found: acknowledged, lost: 0, doubled: 0, hung: 0, serverErrors: 0 },
  )
  const [heads = '', , row = ''] = formatReports([report]).split('\n')
  assert.equal(cellsOf(row)[cellsOf(heads).indexOf('acknowledged')], acknowledged.toLocaleString('en'))
  assert.equal(cellsOf(row).at(-1), 'passed')
})

test('a service that loses animals and creates others twice does not pass', async () => {
  const program = fileURLToPath(new URL('faulty-service.ts', import.meta.url))
  const report = await runScenario(kill, { isQuick: true, program })
  assert.ok(report.figures.lost > 0 && report.figures.doubled > 0, JSON.stringify(report.figures))
  assert.match(report.failures.join('\n'), /\d+ lost\n\d+ doubled/)
  assert.equal(isPassed(report), false)
})

test('a scenario that throws, does not end, or cannot run does not pass, and is cleaned up', async () => {
  const ended: string[] = []
  const outcomes: Record<string, () => Promise<void>> = {
    'Error: broken': async () => {
      throw new Error('broken')
    },
    'not ended within 0.05 s': () => new Promise(() => {}),
    'Not tried: no disk': async () => {
      throw new NotPossible('no disk')
    },
  }
  for (const [words, outcome] of Object.entries(outcomes)) {
    const scenario: Scenario = {
      name: 'one',
      explanation: '',
      maxSeconds: 0.05,
      async run({ t }) {
        t.after(() => ended.push(words))
        await outcome()
      },
    }
    const report = await runScenario(scenario, { isQuick: true })
    assert.equal(isPassed(report), false)
    assert.ok(
      [...report.failures, `Not tried: ${report.impossible}`].some(text => text.includes(words)),
      words,
    )
  }
  assert.deepEqual(ended, Object.keys(outcomes))
})

test('every scenario has a unique name, and an unknown name prints them all', async () => {
  const names = SCENARIOS.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  const { code, stderr } = await run('kil')
  assert.equal(code, 2)
  assert.equal(stderr, `Usage: npm run endure -- [${names.join('|')} …] [--quick] [--write]\n`)
})

function run(...args: string[]): Promise<{ code: unknown; stderr: string }> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  return new Promise(resolve => {
    execFile(process.execPath, [main, ...args], (error, _, stderr) => resolve({ code: error?.code ?? 0, stderr }))
  })
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map(cell => cell.trim())
}
