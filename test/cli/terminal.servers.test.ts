import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { columnsOf } from '../../src/cli/output/columns.ts'
import { createAccount, setPlan } from '../../src/domain/administration/accounts.ts'
import { issueKey, revokeKey } from '../../src/domain/administration/keys.ts'
import { addPet, correctPet } from '../../src/domain/administration/pets.ts'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { makeStore, PROGRAM, type TestStore } from '../support/command-line.ts'
import { needs } from '../support/servers/needs.ts'
import { runOnTerminal } from '../support/servers/terminal.ts'
import { usageOf } from '../support/usage.ts'

const YEAR_MS = 31_536_000_000
const DAY = 20_454 // 2026-01-01
const ANY_PORTS = { PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' }
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a colour begins with
const COLOUR = /\u001b\[/

test('on a terminal of 80 columns, no row is wider; elsewhere, each row is one line', async t => {
  if (!needs(t, 'script')) return
  const store = await makeFullStore(t)
  for (const command of ['account list', 'key list', 'token list', 'audit', 'pet list']) {
    const shown = await onTerminal(store, command)
    const lines = shown.trimEnd().split(/\r?\n/)
    assert.ok(lines.length > 1, shown)
    for (const line of lines) assert.ok(columnsOf(line) <= 80, line)
    if (command === 'token list') assert.equal(lines.length, 3, `${command} needs no wrapping`)
    const words = command.split(' ')
    const [text = '', json = ''] = await store.textEach([words, [...words, '--json']])
    assert.equal(text.trimEnd().split('\n').length, JSON.parse(json).length + 1, command)
  }
})

test('colours are used only on a terminal, and not with NO_COLOR', async t => {
  if (!needs(t, 'script')) return
  const store = await makeStore(t)
  await store.issueKey()
  await store.act(({ store }) => store.addUsage([usageOf({ day: DAY, admitted: 1_200 })]))
  const command = 'usage acme --from 2026-01-01 --to 2026-01-31'
  const [coloured, plain] = await Promise.all([
    onTerminal(store, command, { columns: 100 }),
    onTerminal(store.with({ NO_COLOR: '1' }), command, { columns: 100 }),
  ])
  assert.match(coloured, COLOUR)
  assert.doesNotMatch(plain, COLOUR)
  assert.ok(Math.max(...plain.split(/\r?\n/).map(line => line.length)) > 80, 'bars are as wide as the terminal')
})

test('a terminal shows the progress of an import, and clears it at the end', async t => {
  if (!needs(t, 'script')) return
  const store = await makeStore(t)
  const file = join(store.folder, 'pets.ndjson')
  await writeFile(file, '{"name":"Rex","categoryId":7}\n'.repeat(50_000))
  await store.act(async () => {})
  const shown = await onTerminal(store, `pet import ${file}`)
  const drawn = shown.split('\r\u001b[K')
  assert.ok(
    drawn.some(line => /^Reading \[#*-*\] +\d+% [\d,]+ [\d,]+\/s/.test(line)),
    shown,
  )
  assert.ok(
    drawn.some(line => /^Writing 50,000 [\d,]+\/s$/.test(line)),
    shown,
  )
  assert.equal(
    drawn.at(-1),
    'Imported 50,000 animals from pets.ndjson, ids 1 to 50000.\r\nUndo it with: petstore pet undo 1\r\n',
  )
  for (const line of drawn.flatMap(text => text.split('\r\n'))) assert.ok(line.length < 80, line)
})

async function onTerminal(store: TestStore, command: string, options?: { columns: number }): Promise<string> {
  return (await runOnTerminal(store, command, options)).shown
}

test('a terminal shows the first 100 rows of a list, and how to get the rest', async t => {
  if (!needs(t, 'script')) return
  const store = await makeStore(t)
  await store.act(async context => {
    for (let count = 1; count <= 101; count += 1) {
      await createAccount(context, { name: `account number ${count}`, plan: 'free', limits: {} })
    }
  })
  const first = await onTerminal(store, 'account list', { columns: 200 })
  assert.equal(first.match(/^\d+ +account number/gm)?.length, 100)
  assert.ok(first.endsWith('\r\n\r\nThere are more: add --after 100 to see the next page.\r\n'), first.slice(-200))
  const rest = await onTerminal(store, 'account list --after 100', { columns: 200 })
  assert.equal(rest.match(/^\d+ +account number/gm)?.length, 1)
  assert.doesNotMatch(rest, /There are more/)
  assert.equal(JSON.parse(await onTerminal(store, 'account list --json')).length, 101, '--json is complete')
})

/** Starts the demo, and stops it with Ctrl-C once it has printed its instructions. */
async function serveOnTerminal({ env }: TestStore): Promise<string> {
  const line = `stty cols 80; '${process.execPath}' '${PROGRAM}' serve --demo`
  const settings = { PATH: process.env.PATH, TERM: 'xterm-256color', ...env }
  const child = spawn('script', ['-qec', line, '/dev/null'], { env: settings, stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    if (!shown.includes('Ctrl-C') && (shown + text).includes('Ctrl-C')) child.stdin.write('\u0003')
    shown += text
  })
  await closed
  return shown.replace('^C', '')
}

test('on a terminal, npm start shows its instructions and its log for people, in 80 columns', async t => {
  if (!needs(t, 'script')) return
  const store = await makeStore(t)
  const shown = await serveOnTerminal(store.with(ANY_PORTS))
  assert.match(shown, COLOUR)
  const lines = stripVTControlCharacters(shown).trimEnd().split(/\r?\n/)
  // A link cannot be wrapped.
  for (const line of lines) assert.ok(columnsOf(line) <= 80 || line.includes('/console/sign-in#'), line)
  assert.ok(
    lines.some(line => /^ +export PETSTORE_API_KEY=petstore_live_/.test(line)),
    shown,
  )
  assert.match(lines.at(-1) ?? '', /^[\d:]{8} {2}info {3}stopped$/)

  const asJson = store.with({ ...ANY_PORTS, PETSTORE_LOG_FORMAT: 'json', NO_COLOR: '1' })
  const plain = await serveOnTerminal(asJson)
  assert.doesNotMatch(plain, COLOUR)
  const last = plain.trimEnd().split(/\r?\n/).at(-1)
  assert.equal(JSON.parse(last ?? '').msg, 'stopped')
})

/** Data for every list. */
async function makeFullStore(t: Parameters<typeof makeStore>[0]): Promise<TestStore> {
  const store = await makeStore(t)
  await store.issueKey()
  await store.act(async context => {
    const expiresAt = context.now + YEAR_MS
    const { id } = await issueKey(context, { account: 'acme', name: 'laptop', expiresAt })
    await revokeKey(context, String(id))
    await createToken(context, { name: 'Front desk', role: 'staff', expiresAt })
    await createToken(context, { name: 'Anna', role: 'admin', expiresAt })
    await setPlan(context, { account: 'acme', plan: 'enterprise', limits: { perMinute: 5_000, perDay: 1_000_000 } })
    const pet = await addPet(context, { name: 'Rex '.repeat(60).trim(), categoryId: 1n, status: 'available' })
    await correctPet(context, pet, { status: 'sold', name: 'x'.repeat(255), categoryId: -(2n ** 63n) })
    await addPet(context, { name: 'Señor 金魚 '.repeat(12), categoryId: 2n ** 63n - 1n, status: 'pending' })
  })
  return store
}
