import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { type Command, CommanderError } from 'commander'
import openapi from '../openapi.json' with { type: 'json' }
import { buildProgram } from '../src/cli/program.ts'
import { parseConfig, SETTINGS } from '../src/config.ts'
import { Mistake } from '../src/domain/errors.ts'
import { limitsOf, type Plan } from '../src/domain/plan.ts'
import { Metrics } from '../src/metrics/metrics.ts'
import { type CommandLine, commandLinesOf, mentionsOf } from './support/handbook.ts'

// What operators read must be so at the moment when they need it: what they are told to type works, and what is named is there.

const README = await read('README.md')
const DEPLOY = await read('deploy/README.md')
const HANDBOOK = await read('docs/operations.md')
const SCALING = await read('docs/scaling.md')
const ALL = [README, DEPLOY, HANDBOOK, SCALING].join('\n')

/** What the samples of the API and the measurements read: no settings. */
const OTHER_VARIABLES = ['PETSTORE_API_KEY', 'PETSTORE_TEST_POSTGRES_URL', 'PETSTORE_TEST_REDIS_URL']

test('every command that operators are told to type is one', async () => {
  const lines = commandLinesOf(ALL)
  assert.ok(lines.length > 30, `${lines.length} lines`)
  assert.deepEqual(await mistakesIn(lines), [])
})

test('every command that operators are told of is one, though its arguments may be left out', async () => {
  const lines = mentionsOf(ALL)
  assert.ok(lines.length > 10, `${lines.length} lines`)
  assert.deepEqual(await mistakesIn(lines, ['commander.missingArgument', 'commander.missingMandatoryOptionValue']), [])
})

test('every operation that operators are told to ask for is one', () => {
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

test('every metric that is named is exported, and the table of metrics has all', async () => {
  const metrics = new Metrics('1.2.3')
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

test('every alert that is named is one, and the table of alerts has all', async () => {
  const alerts = namesIn(await read('deploy/prometheus/alerts.yaml'), /(?<=- alert: )\w+/g)
  assert.deepEqual([...namesIn(ALL, /\bPetstore[A-Z]\w+/g).symmetricDifference(alerts)], [])
})

// Those of deploy/README.md test/deploy.test.ts compares.
test('every setting that is named is one', () => {
  const settings = new Set([...Object.values(SETTINGS).map(({ name }) => name), ...OTHER_VARIABLES])
  const named = namesIn(README + HANDBOOK + SCALING, /\bPETSTORE_[A-Z_]*[A-Z]/g)
  assert.deepEqual([...named.difference(settings)], [])
})

test('the settings that are shown can be used', () => {
  const blocks = [...HANDBOOK.matchAll(/^```ini\n(.*?)^```$/gms)].map(([, block]) => parseEnv(block ?? ''))
  assert.ok(blocks.length >= 3)
  for (const settings of blocks) assert.ok(parseConfig(settings))
})

test('the figures of plans and bans are those that hold', () => {
  const { ban } = parseConfig({})
  const of = (plan: Plan) => {
    const { perMinute, perDay } = limitsOf(plan)
    return [perMinute, perDay].map(count => count.toLocaleString('en'))
  }
  const [free, pro, business] = [of('free'), of('pro'), of('business')]
  const text = HANDBOOK.replaceAll(/\s+/g, ' ')
  for (const words of [
    `Free has ${free[0]} calls a minute and ${free[1]} a day, Pro ${pro.join(' and ')}, Business ${business.join(' and ')}.`,
    `${ban.after} refused calls that ignore a 429, within ${ban.withinSeconds / 60} minutes, ban the key for ${ban.forSeconds / 60} minutes, ` +
      `twice as long each further time, up to ${ban.maxSeconds / 3_600} hours.`,
  ]) {
    assert.ok(text.includes(words), words)
  }
})

test('a command, an option, an argument or a value that is none is found in any line', async () => {
  const wrong = [
    'petstore back-up a.db',
    'npx petstore keys list',
    'cd /opt/petstore && petstore usage --by key,hour | less',
    'petstore usage --since 3',
    'PETSTORE_DATA=/tmp petstore restore --force',
    'petstore account create "Corner Shop" --plan gold',
    'petstore account create acme',
    'petstore-staging token create Anna --role boss',
    'petstore pet import - --format xml <a.xml',
    'petstore ban lift 1 2',
    'docker compose exec petstore-1 node bin/petstore.ts account lits',
    'docker run --rm petstore:1.0.0 pets list',
  ]
  const blocks = `${fence(wrong.slice(1).join('\n'))}\n    ${wrong[0]}\n`
  assert.equal((await mistakesIn(commandLinesOf(blocks))).length, wrong.length)
  assert.equal((await mistakesIn(mentionsOf(wrong.map(line => `\`${line}\``).join()))).length, wrong.length)
})

function fence(block: string): string {
  return `\`\`\`sh\n${block}\n\`\`\``
}

function read(path: string): Promise<string> {
  return readFile(new URL(`../${path}`, import.meta.url), 'utf8')
}

function namesIn(text: string, pattern: RegExp): Set<string> {
  return new Set(text.match(pattern))
}

/** @param borne codes of Commander that are no mistake here */
async function mistakesIn(lines: readonly CommandLine[], borne: readonly string[] = []): Promise<string[]> {
  const mistakes = await Promise.all(
    lines.map(async ({ line, args }) => {
      const mistake = await mistakeIn(args, borne)
      return mistake === undefined ? [] : [`${line}: ${mistake}`]
    }),
  )
  return mistakes.flat()
}

/** Why the program would not take a command line. It is not carried out. */
async function mistakeIn(args: readonly string[], borne: readonly string[]): Promise<string | undefined> {
  const program = buildProgram()
  disarm(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof Mistake) return error.message
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 || borne.includes(error.code) ? undefined : error.message
  }
}

/** Lets a command do nothing but read its options and arguments. */
function disarm(command: Command): void {
  command.exitOverride().configureOutput({ writeOut() {}, writeErr() {}, outputError() {} })
  if (command.commands.length === 0) command.action(() => {})
  for (const child of command.commands) disarm(child)
}
