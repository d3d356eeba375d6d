import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { type Command, CommanderError } from 'commander'
import openapi from '../../openapi.json' with { type: 'json' }
import { parseConfig } from '../../src/app/config.ts'
import { SETTINGS } from '../../src/app/settings.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { banAfter, GRACE_MS, MAX_BANS, MAX_SOURCES } from '../../src/domain/ban.ts'
import { UserError } from '../../src/domain/errors.ts'
import { limitsOf, type Plan } from '../../src/domain/plan.ts'
import { Metrics } from '../../src/metrics/metrics.ts'
import { ROOT } from '../support/guide-texts.ts'
import { type CommandLine, commandLinesOf, HANDBOOK, mentionsOf } from '../support/handbook.ts'

// Operators must be able to rely on what they read: commands work, and everything that is named exists.

const README = await read('README.md')
const DEPLOY = await read('deploy/README.md')
const SCALING = await read('docs/scale.md')
const GUIDES = [
  await read('docs/guides/operators/care-for-animals.md'),
  await read('docs/guides/operators/run-the-console.md'),
].join('\n')
const ALL = [README, DEPLOY, HANDBOOK, SCALING].join('\n')
const COMMANDS = `${ALL}\n${GUIDES}`

/** The sources of the messages that the handbook quotes, and one of SQLite. */
const MESSAGES = [
  ...globSync('src/**/*.ts', { cwd: ROOT }).map(file => readFileSync(ROOT + file, 'utf8')),
  'unable to open database file',
].join('\n')

/** Variables of the samples and the tests, which are not settings. */
const OTHER_VARIABLES = ['PETSTORE_API_KEY', 'PETSTORE_TEST_POSTGRES_URL', 'PETSTORE_TEST_REDIS_URL']

test('every command line for operators is valid', async () => {
  const lines = commandLinesOf(COMMANDS)
  assert.ok(lines.length > 30, `${lines.length} lines`)
  assert.deepEqual(await problemsIn(lines), [])
})

test('every command named in a sentence is valid, but may lack its arguments', async () => {
  const lines = mentionsOf(COMMANDS)
  assert.ok(lines.length > 10, `${lines.length} lines`)
  assert.deepEqual(await problemsIn(lines, ['commander.missingArgument', 'commander.missingMandatoryOptionValue']), [])
})

test('every operation in a command line exists', () => {
  const operations = Object.values(openapi.paths).flatMap(methods =>
    Object.values(methods).map(method => (method as { operationId?: string }).operationId),
  )
  const named = commandLinesOf(ALL).flatMap(({ args }) => args.filter((_, index) => args[index - 1] === '--operation'))
  assert.ok(named.length > 0)
  assert.deepEqual(
    named.filter(name => !operations.includes(name)),
    [],
  )
})

test('every metric that is named is exported, and the table of metrics is complete', async () => {
  const metrics = new Metrics()
  metrics.buildPublicAnswered([])
  metrics.buildOperatorAnswered([])
  const exported = namesIn(await metrics.text().finally(() => metrics.close()), /(?<=^# TYPE )\w+/gm)
  const named = namesIn(ALL, /\b(?:petstore|process|nodejs)_[a-z_]*[a-z]\b/g)
  assert.deepEqual([...named.difference(exported)], [])
  const own = [...exported].filter(name => name.startsWith('petstore_'))
  assert.deepEqual(
    own.filter(name => !DEPLOY.includes(`\`${name}\``)),
    [],
  )
})

test('every alert that is named exists, and the table of alerts is complete', async () => {
  const alerts = namesIn(await read('deploy/prometheus/alerts.yaml'), /(?<=- alert: )\w+/g)
  assert.deepEqual([...namesIn(ALL, /\bPetstore[A-Z]\w+/g).symmetricDifference(alerts)], [])
})

test('every quoted message is in the program', () => {
  const quoted = [...HANDBOOK.matchAll(/\*\*`(?:error: )?([^`]+)`\*\*/g)].map(([, message = '']) => message)
  assert.ok(quoted.length > 15, quoted.join('\n'))
  const parts = quoted.flatMap(message => message.split('…').map(part => part.trim()))
  assert.deepEqual(
    parts.filter(part => !MESSAGES.includes(part)),
    [],
  )
})

test('every reason of a refusal that is named can be in the log', () => {
  const [row = ''] = /^\| `reason` .*$/m.exec(HANDBOOK) ?? []
  const reasons = [...row.matchAll(/(?<=[:,] )`([^`]+)`/g)].map(([, reason = '']) => reason)
  assert.ok(reasons.length >= 8, reasons.join('\n'))
  // Ids and addresses are examples.
  const parts = reasons.flatMap(reason => reason.split(/ \d[\d.]*(?:: | |$)/))
  assert.deepEqual(
    parts.filter(part => !MESSAGES.includes(part)),
    [],
  )
})

// For deploy/README.md, see test/deploy.test.ts.
test('every setting that is named exists', () => {
  const settings = new Set([...Object.values(SETTINGS).map(({ name }) => name), ...OTHER_VARIABLES])
  const named = namesIn(README + HANDBOOK + SCALING + GUIDES, /\bPETSTORE_[A-Z_]*[A-Z]/g)
  assert.deepEqual([...named.difference(settings)], [])
})

test('the examples of settings are valid', () => {
  const blocks = [...(HANDBOOK + GUIDES).matchAll(/^```ini\n(.*?)^```$/gms)].map(([, block]) => parseEnv(block ?? ''))
  assert.ok(blocks.length >= 3)
  for (const settings of blocks) assert.ok(parseConfig(settings))
})

test('the numbers of plans in the contract are those of the code', async () => {
  const text = (await read('docs/contract.md')).replaceAll(/ +/g, ' ')
  for (const name of ['Free', 'Pro', 'Business']) {
    const { perMinute, perDay } = limitsOf(name.toLowerCase() as Plan)
    const row = [name, ...[perMinute, perDay].map(count => count.toLocaleString('en'))].join(' | ')
    assert.ok(text.includes(`| ${row} |`), row)
  }
})

test('the numbers of bans in the contract are those of the code', async () => {
  const { ban } = parseConfig({})
  const after = (perMinute: number) => banAfter(ban, { perMinute, perDay: 1 })
  const text = (await read('docs/contract.md')).replaceAll(/\s+/g, ' ')
  for (const words of [
    `at least ${GRACE_MS / 1_000} seconds earlier`,
    `at least ${after(1)} and at most ${after(1e9)} times`,
    `within ${ban.withinSeconds / 60} minutes, is banned for ${ban.forSeconds / 60} minutes`,
    `Each further ban of a source lasts twice as long, up to ${ban.maxSeconds / 3_600} hours.`,
    `the ${MAX_SOURCES} most recently refused sources are remembered, and at most ${MAX_BANS} bans are in force`,
  ]) {
    assert.ok(text.includes(words), words)
  }
})

test('an invalid command, option, argument or value is found in any line', async () => {
  const wrong = [
    'petstore back-up a.db',
    './petstore keys list',
    'cd /opt/petstore && petstore usage --by key,week | less',
    'petstore usage --since 3',
    'PETSTORE_DATA=/tmp petstore restore --force',
    'petstore account create "Corner Shop" --plan gold',
    'petstore account create acme',
    'petstore-staging token create Anna --role boss',
    'petstore pet import - --format xml <a.xml',
    'petstore ban lift 1 2',
    'docker compose exec petstore-1 petstore account lits',
    'docker run --rm petstore:1.0.0 pets list',
  ]
  const blocks = `${fence(wrong.slice(1).join('\n'))}\n    ${wrong[0]}\n`
  assert.equal((await problemsIn(commandLinesOf(blocks))).length, wrong.length)
  assert.equal((await problemsIn(mentionsOf(wrong.map(line => `\`${line}\``).join()))).length, wrong.length)
})

function fence(block: string): string {
  return `\`\`\`sh\n${block}\n\`\`\``
}

function read(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
}

function namesIn(text: string, pattern: RegExp): Set<string> {
  return new Set(text.match(pattern))
}

/** @param allowed codes of Commander that are acceptable here */
async function problemsIn(lines: readonly CommandLine[], allowed: readonly string[] = []): Promise<string[]> {
  const problems = await Promise.all(
    lines.map(async ({ line, args }) => {
      const problem = await mistakeIn(args, allowed)
      return problem === undefined ? [] : [`${line}: ${problem}`]
    }),
  )
  return problems.flat()
}

/** Why the program would refuse a command line. The command is not run. */
async function mistakeIn(args: readonly string[], allowed: readonly string[]): Promise<string | undefined> {
  const program = await buildProgram()
  disarm(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof UserError) return error.message
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 || allowed.includes(error.code) ? undefined : error.message
  }
}

/** Makes a command only parse its options and arguments. */
function disarm(command: Command): void {
  command.exitOverride().configureOutput({ writeOut() {}, writeErr() {}, outputError() {} })
  if (command.commands.length === 0) command.action(() => {})
  for (const child of command.commands) disarm(child)
}
