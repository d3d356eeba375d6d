import { copyFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequest } from '../../hostile/phases.ts'
import { scribble } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { seededRandom } from '../../support/random.ts'
import { Caller } from '../caller.ts'
import { Creators } from '../creators.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

interface Damage {
  what: string
  /** The state of the service at that moment. */
  while: 'stopped' | 'killed' | 'running'
  /** @param others an older copy of the store, and an unrelated store */
  apply(file: string, others: { older: string; foreign: string }): void
  /** Whether the store is intact in spite of it. */
  isHarmless?: true
}

const ANIMALS = 300
const CREATORS = 8
const ADD_MS = 20_000
const START_MS = 10_000
const FLIPPED_BITS = 64
const FLIPPED_NAMES = [3, 30, 130]
/** For a second, the service answers `/readyz` from its last check of the store. */
const CHECK_SHARED_MS = 1_100

const DAMAGES: readonly Damage[] = [
  { what: 'petstore.db cut to half', while: 'stopped', apply: file => cut(file, 0.5) },
  { what: 'petstore.db cut to half', while: 'killed', apply: file => cut(file, 0.5) },
  { what: 'petstore.db emptied', while: 'stopped', apply: file => cut(file, 0) },
  { what: 'petstore.db removed', while: 'stopped', apply: file => rmSync(file) },
  { what: 'petstore.db removed', while: 'running', apply: file => rmSync(file) },
  { what: 'the log removed', while: 'running', apply: file => rmSync(`${file}-wal`) },
  { what: 'the log removed', while: 'killed', apply: file => rmSync(`${file}-wal`) },
  { what: 'the log cut to half', while: 'killed', apply: file => cut(`${file}-wal`, 0.5) },
  { what: 'an older copy put in its place', while: 'stopped', apply: (file, { older }) => copyFileSync(older, file) },
  { what: 'an older copy put in its place', while: 'running', apply: (file, { older }) => exchange(older, file) },
  {
    what: 'another store put in its place',
    while: 'stopped',
    apply: (file, { foreign }) => copyFileSync(foreign, file),
  },
  { what: 'another store put in its place', while: 'running', apply: (file, { foreign }) => exchange(foreign, file) },
  { what: 'a text put in its place', while: 'stopped', apply: file => writeFileSync(file, 'Rex\n'.repeat(10_000)) },
  { what: `${FLIPPED_BITS} bits flipped`, while: 'stopped', apply: file => flipBits(file, 1) },
  { what: `${FLIPPED_BITS} other bits flipped`, while: 'stopped', apply: file => flipBits(file, 2) },
  { what: 'a bit flipped in each of 3 names', while: 'stopped', apply: flipNames },
  { what: '20 pages overwritten', while: 'stopped', apply: scribble },
  {
    what: 'petstore.db.known overwritten',
    while: 'stopped',
    apply: file => writeFileSync(`${file}.known`, 'Rex'),
    isHarmless: true,
  },
]
/** The short form has one for each state of the service. */
const IN_SHORT = ['petstore.db removed', 'the log removed', 'a bit flipped in each of 3 names']

export const damagedFiles: Scenario = {
  name: 'damaged-files',
  explanation:
    'files are truncated, removed, replaced and corrupted; no animal served may differ, and a backup must restore ' +
    'all',
  maxSeconds: 400,
  async run(stage) {
    const damages = stage.isQuick ? DAMAGES.filter(({ what }) => IN_SHORT.includes(what)) : DAMAGES
    const foreign = await makeForeignStore(stage)
    const seen: { outcome: string; damage: string }[] = []
    for (const damage of damages) {
      seen.push({ outcome: await tryDamage(stage, damage, foreign), damage: `${damage.what} (${damage.while})` })
    }
    for (const [outcome, alike] of Map.groupBy(seen, ({ outcome }) => outcome)) {
      stage.tally.note(`${outcome}: ${alike.map(({ damage }) => damage).join(', ')}`)
    }
  },
}

/** Applies one kind of damage to a new store, and restores its backup. Returns what the service did. */
async function tryDamage(stage: Stage, damage: Damage, foreign: string): Promise<string> {
  const { t, tally } = stage
  const service = await ServiceUnderTest.prepare(stage)
  const creators = new Creators(service, tally, { count: CREATORS })
  const file = join(service.folder, 'petstore.db')
  const spare = await temporaryFolder(t)
  const [older, backup] = [join(spare, 'older.db'), join(spare, 'backup.db')]
  const add = async () => {
    creators.start()
    tally.expect(await creators.succeed(ANIMALS / 2, ADD_MS), 'animals cannot be added before the damage')
    await creators.settle()
  }
  await service.start()
  await add()
  await service.stop()
  copyFileSync(file, older)
  await service.start()
  await add()
  const backedUp = await service.command('backup', backup)
  tally.expect(backedUp.code === 0, `the backup failed: ${backedUp.stderr}`)

  if (damage.while === 'stopped') await service.stop()
  if (damage.while === 'killed') await service.kill()
  damage.apply(file, { older, foreign })
  if (damage.while !== 'running') service.launch()
  const seen = await look(stage, service, creators, damage)
  await service.kill()

  const restored = await service.command('restore', backup, '--force')
  tally.expect(restored.code === 0, `${damage.what}: the backup cannot be restored: ${restored.stderr}`)
  await service.start()
  await creators.compare()
  await service.kill()
  return seen
}

/** Calls a service whose store is damaged, if it has started. */
async function look({ tally }: Stage, service: ServiceUnderTest, creators: Creators, damage: Damage): Promise<string> {
  const name = `${damage.what} while ${damage.while}`
  if (damage.while !== 'running' && !(await hasStarted(service))) {
    tally.expect(/error: /.test(service.log.tail()), `${name}: no reason was given`)
    return 'refuses to start, and says why'
  }
  const caller = new Caller(service.port)
  let [served, refused, missing] = [0, 0, 0]
  for (let id = 1; id <= ANIMALS; id += 1) {
    const outcome = await caller.call(getRequest(`/v1/pets/${id}`, service.key))
    tally.count(outcome)
    if (outcome.kind !== 'answered') continue
    const { status, json } = outcome.answer
    if (status === 200) {
      served += 1
      tally.expect(creators.agreesWith(json), `${name}: animal ${id} is served as ${json.name}`)
    } else if (status === 503) refused += 1
    else missing += 1
  }
  caller.close()
  const creation = await addOne(service)
  await sleep(CHECK_SHARED_MS)
  const isReady = await service.isReady()
  if (creation === 'acknowledged' && damage.while === 'running')
    tally.expect(false, `${name}: a creation was acknowledged`)
  const isSeen = refused > 0 || creation === 'refused' || !isReady
  tally.expect(missing === 0, `${name}: ${missing} animals are missing without an error`)
  tally.expect(
    isSeen !== (damage.isHarmless ?? false),
    `${name}: ${isSeen ? 'the service reported harmless damage' : 'the service did not notice'}`,
  )
  return `reads: ${served} served, ${refused} refused${missing > 0 ? `, ${missing} not known` : ''}; a creation is ${creation}; ${isReady ? 'ready' : 'not ready'}`
}

async function hasStarted(service: ServiceUnderTest): Promise<boolean> {
  const deadline = performance.now() + START_MS
  while (service.isRunning && performance.now() < deadline) {
    const url = `http://127.0.0.1:${service.operatorPort}/livez`
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return true
    await service.ending(50)
  }
  return false
}

async function addOne(service: ServiceUnderTest): Promise<'acknowledged' | 'refused'> {
  const { status } = await fetch(`http://127.0.0.1:${service.port}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: '{"name":"after the damage","categoryId":1}',
  })
  return status === 201 ? 'acknowledged' : 'refused'
}

async function makeForeignStore(stage: Stage): Promise<string> {
  const { folder } = await ServiceUnderTest.prepare(stage)
  return join(folder, 'petstore.db')
}

function cut(file: string, share: number): void {
  truncateSync(file, Math.floor(statSync(file).size * share))
}

/** Gives another file the name, as mv does. Processes that have the former file open keep it. */
function exchange(other: string, file: string): void {
  const copy = `${file}.copy`
  copyFileSync(other, copy)
  renameSync(copy, file)
}

/** Flips bits after the first page; without that page, a file is not a database. */
function flipBits(file: string, seed: number): void {
  const random = seededRandom(seed)
  const content = readFileSync(file)
  for (let count = 0; count < FLIPPED_BITS; count += 1) {
    const at = 4_096 + Math.floor(random() * (content.length - 4_096))
    content[at] = (content[at] as number) ^ (1 << Math.floor(random() * 8))
  }
  writeFileSync(file, content)
}

/** Flips a bit wherever a name is followed by a one-byte category and a status: SQLite leaves old copies of rows in its pages. */
function flipNames(file: string): void {
  const content = readFileSync(file)
  for (const number of FLIPPED_NAMES) {
    const row = `animal-${number}-\x07available`
    for (let at = content.indexOf(row); at >= 0; at = content.indexOf(row)) content[at] = (content[at] as number) ^ 2
  }
  writeFileSync(file, content)
}
