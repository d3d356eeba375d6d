import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { assertRefused, startOperatorService } from '../support/operator.ts'
import { exampleOf } from '../support/operator-examples.ts'

// The file of a source: what shelter software sends each night.

const service = await startOperatorService({ after })
const HOUR_MS = 3_600_000

const PETFINDER =
  'ID,Internal,AnimalName,PrimaryBreed,Type,Status\nA1,,Rex,Mixed,Dog,A\nA2,,Tom,Shorthair,Cat,h\nA3,,Kira,Mixed,Dog,X\nA4,,Bella,,Dog,F\nA5,,Luna,,Cat,P\n'
const RESCUE_GROUPS =
  '"orgID", "externalID", "status", "name", "species", "photo"\n"1", "0012", "Available", "Rex, the dog", "Dog", ""\n"1", "13", "On hold", "Tom", "Cat", ""\n"1", "14", "ADOPTED", "Kira", "Dog", ""\n"1", "15", "Found", "Bella", "Dog", ""\n"1", "16", "Adoptable", "Luna", "Cat", ""\n'

async function newSource(settings: object = {}) {
  const name = crypto.randomUUID()
  const created = await service.call('POST', '/sources', { body: { name, ...settings } })
  assert.equal(created.status, 201, created.text)
  return name
}

const send = (name: string, body: string, query = '', token?: string) =>
  service.call('PUT', `/sources/${name}/file${query}`, { body, type: 'text/csv', ...(token && { token }) })

interface Shown {
  name: string
  status: string
  origin: { externalId: string }
}

async function statusesOf(source: string) {
  const { value } = await service.call('GET', '/pets?limit=100')
  const own = value.filter(({ origin }: { origin: { source: string } | null }) => origin?.source === source)
  return own.map(({ name, status, origin }: Shown) => [origin.externalId, name, status])
}

test('part of a file is refused: what it lacks is not missing', async () => {
  const source = await newSource({ newCategories: true })
  const headers = { 'Content-Range': 'bytes 0-45/200' }
  const sent = await service.call('PUT', `/sources/${source}/file`, { body: PETFINDER, type: 'text/csv', headers })
  assert.deepEqual([sent.status, sent.value.code], [400, 'malformed_request'])
  assert.deepEqual(await statusesOf(source), [])
})

test('the files for Petfinder and for RescueGroups are read as they are', async () => {
  const petfinder = await newSource()
  const first = await send(petfinder, PETFINDER, '?newCategories=true')
  assert.deepEqual([first.status, first.value.added, first.value.newCategories.length], [200, 5n, 2])
  assert.deepEqual(await statusesOf(petfinder), [
    ['A1', 'Rex', 'available'],
    ['A2', 'Tom', 'pending'],
    ['A3', 'Kira', 'sold'],
    ['A4', 'Bella', 'pending'],
    ['A5', 'Luna', 'pending'],
  ])
  const rescueGroups = await newSource()
  assertRefused(await send(rescueGroups, RESCUE_GROUPS), 'conflict', /^1 line is invalid\. Line 3: status must be /)
  const meaning = `?${new URLSearchParams({ meanings: 'status:On hold=pending' })}`
  assert.equal((await send(rescueGroups, RESCUE_GROUPS, meaning)).value.added, 5n)
  assert.deepEqual(await statusesOf(rescueGroups), [
    ['0012', 'Rex, the dog', 'available'],
    ['13', 'Tom', 'pending'],
    ['14', 'Kira', 'sold'],
    ['15', 'Bella', 'pending'],
    ['16', 'Luna', 'available'],
  ])
})

test('a chosen meaning comes before that of the format, and other files need --ignore-other-columns', async () => {
  const source = await newSource()
  const query = `?${new URLSearchParams({ meanings: 'status:H=available' })}`
  assert.equal((await send(source, 'ID,AnimalName,Type,Status\nA1,Rex,1,H\n', query)).status, 200)
  assert.deepEqual(await statusesOf(source), [['A1', 'Rex', 'available']])
  assertRefused(await send(source, 'ID,AnimalName,Type,Breed\nA1,Rex,1,x\n'), 'conflict', /Unknown column "Breed"/)
})

test('a source knows what the words in its files mean, also in those that its token sends', async () => {
  const source = await newSource({ meanings: 'status:Foster=pending', newCategories: true })
  const { token } = (await service.call('POST', '/tokens', { body: { name: 'Feed', source } })).value
  const label = crypto.randomUUID()
  const file = `ID,AnimalName,Type,Status\nA1,Rex,${label},foster\n`
  const sent = await send(source, file, '', token)
  assert.deepEqual([sent.status, sent.value.newCategories.length], [200, 1], sent.text)
  assert.deepEqual(await statusesOf(source), [['A1', 'Rex', 'pending']])
  // The meaning in a request comes first.
  await send(source, file, `?${new URLSearchParams({ meanings: 'status:FOSTER=sold' })}`)
  assert.deepEqual(await statusesOf(source), [['A1', 'Rex', 'sold']])
  const change = (body: object) => service.call('PATCH', `/sources/${source}`, { body })
  assertRefused(await change({ meanings: 'status:Foster=ill' }), 'invalid_input', /"ill" is not a status/)
  const unnamed = 'The key column must have a name.'
  assertRefused(await change({ keyColumn: ' ' }), 'invalid_input', unnamed)
  const blank = { name: `blank-${source}`, keyColumn: ' ' }
  assertRefused(await service.call('POST', '/sources', { body: blank }), 'invalid_input', unnamed)
  const before = service.snapshot()
  for (const same of [{}, { keyColumn: null, newCategories: true }]) assert.equal((await change(same)).status, 200)
  assert.deepEqual(service.snapshot(), before, 'no change leaves no entry')
  const { value } = await change({ meanings: null, newCategories: false })
  assert.deepEqual([value.meanings, value.newCategories], [null, false])
  const other = file.replace(label, crypto.randomUUID()).replace('foster', 'A')
  assertRefused(await send(source, other), 'conflict', /^1 line is invalid/)
  assert.equal((await send(source, other, '?newCategories=true')).status, 200)
})

test('a refused file changes nothing, is a conflict, and is among the runs; a dry run is not', async () => {
  const source = await newSource({ missing: 'delete' })
  await send(source, 'ID,name,categoryId\n1,Rex,1\n2,Tom,1\n3,Kira,1\n4,Bella,1\n')
  const rest = 'ID,name,categoryId\n1,Max,1\n'
  const dry = await send(source, rest, '?dryRun=true')
  assert.deepEqual([dry.value.outcome, dry.value.corrected], ['refused', 0n])
  assert.match(
    dry.value.refusal,
    /^The file would delete 3 of 4 animals, because they are missing; at most 2 are allowed\./,
  )
  assertRefused(await send(source, rest), 'conflict', dry.value.refusal)
  await send(source, 'ID,name,categoryId\n5,,1\n', '?dryRun=true')
  const withBad = await send(source, 'ID,name,categoryId\n1,Rex,1\n2,Tom,1\n5,,1\n', '?skipBad=true&maxRemovals=1')
  const tooMany = /^The file would delete 2 of 4 animals, because they are missing; at most 1 is allowed\.[^:]*$/
  assertRefused(withBad, 'conflict', tooMany)
  const twice = 'ID,name,categoryId\n1,Rex,1\n1,Rex,1\n2,Tom,1\n2,Tom,1\n'
  const reason = /^4 lines are invalid\. Line 2: id "1" is also in line 3; each animal needs its own id\.$/
  assertRefused(await send(source, twice), 'conflict', reason)
  assert.equal((await statusesOf(source)).length, 4)
  const { value: runs } = await service.call('GET', `/sources/${source}/runs`)
  assert.deepEqual(
    runs.map(({ outcome, leftOut, refusal }: Record<string, unknown>) => [outcome, leftOut, refusal]),
    [
      ['refused', 4n, '4 lines are invalid.'],
      ['refused', 1n, withBad.value.message],
      ['refused', 0n, dry.value.refusal],
      ['synced', 0n, null],
    ],
  )
  assert.deepEqual(runs[0].reasons, [
    { reason: 'id … is also in line …; each animal needs its own id.', count: 4n, firstLines: [2n, 3n, 4n] },
  ])
  const allowed = await send(source, rest, '?maxRemovals=3')
  assert.deepEqual([allowed.value.removed, allowed.value.corrected], [3n, 1n])
  const undone = await service.call('POST', `/audit/${allowed.value.entryId}/undo`, { body: {} })
  assert.equal(undone.value.undone, 4n)
  assert.equal((await statusesOf(source)).length, 4)
})

test('an animal is found by its external id, which the public API does not show', async () => {
  const source = await newSource()
  const externalId = `secret-${crypto.randomUUID()}`
  await send(source, `ID,name,categoryId\n${externalId},Rex,1\n`)
  const { value } = await service.call('GET', `/pets?externalId=${externalId}`)
  assert.deepEqual(
    value.map(({ name, origin }: Record<string, unknown>) => [name, origin]),
    [['Rex', { source, externalId }]],
  )
  assert.deepEqual((await service.call('GET', `/pets/${value[0].id}`)).value.origin, { source, externalId })
  assert.deepEqual((await service.call('GET', '/pets?externalId=unknown')).value, [])
  const { key } = await service.createCaller({})
  for (const path of ['/v1/pets?limit=100', `/v1/pets/${value[0].id}`]) {
    const answer = await fetch(new URL(path, service.baseUrl), { headers: { Authorization: `Bearer ${key}` } })
    const text = await answer.text()
    assert.equal(answer.status, 200)
    assert.match(text, /"Rex"/)
    assert.doesNotMatch(text, /secret-|origin|source|external/)
  }
})

test('a file without a status keeps the ones that the animals have', async () => {
  const source = await newSource()
  await send(source, 'ID,name,categoryId,status\n1,Rex,1,sold\n')
  await send(source, 'ID,name,categoryId\n1,Max,1\n2,Tom,1\n')
  assert.deepEqual(await statusesOf(source), [
    ['1', 'Max', 'sold'],
    ['2', 'Tom', 'available'],
  ])
})

test('an external id has at most 255 characters', async () => {
  const source = await newSource()
  const sendId = (id: string) => send(source, `ID,name,categoryId\n${id},Rex,1\n`)
  assertRefused(await sendId('x'.repeat(256)), 'conflict', /Line 2: it has an id with more than 255 characters/)
  assert.equal((await sendId('x'.repeat(255))).value.outcome, 'synced')
})

test('a token for one source may send its file, and nothing else', async t => {
  const [own, other] = [await newSource(), await newSource()]
  assertRefused(await service.call('POST', '/tokens', { body: { name: 'x', source: 'none' } }), 'not_found')
  const both = { name: 'x', role: 'admin', source: own }
  assertRefused(await service.call('POST', '/tokens', { body: both }), 'invalid_input')
  const created = await service.call('POST', '/tokens', { body: { name: 'Feed', source: own.toUpperCase() } })
  assert.deepEqual([created.value.role, created.value.source], ['feed', own])
  const { token } = created.value
  const file = 'ID,name,categoryId\n1,Rex,1\n'
  assert.equal((await send(own.toUpperCase(), file, '?dryRun=true', token)).value.outcome, 'checked')
  assert.equal((await send(own, file, '', token)).value.outcome, 'synced')
  for (const rule of ['missing=delete', 'maxRemovals=100%25', 'keyColumn=name']) {
    const kept = /^This token keeps to the settings of its source/
    assertRefused(await send(own, 'ID,name,categoryId\n', `?${rule}`, token), 'role_insufficient', kept)
  }
  assertRefused(await send(own, 'ID,name,categoryId\n', '', token), 'conflict', /at most 0 are allowed/)
  assert.deepEqual(await statusesOf(own), [['1', 'Rex', 'available']])
  const [, run] = (await service.call('GET', `/sources/${own}/runs`)).value
  assert.equal(run.actor, `Feed (token ${created.value.id})`)
  const refused = `This token can only send the file of the source "${own}".`
  assertRefused(await send(other, file, '', token), 'role_insufficient', refused)
  assertRefused(await service.call('POST', '/session', { token: null, body: { token } }), 'role_insufficient', refused)
  for (const operation of OPERATIONS.filter(({ role }) => role !== 'anyone')) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const before = service.snapshot()
      assertRefused(await service.call(method, path, { ...options, token }), 'role_insufficient', refused)
      assert.deepEqual(service.snapshot(), before)
    })
  }
  await service.call('DELETE', `/sources/${own}`)
  assertRefused(await send(own, file, '', token), 'not_found')
  await service.call('POST', `/tokens/${created.value.id}/revoke`)
  assertRefused(await send(own, file, '', token), 'invalid_token')
})

test('a file that does not come for twice its usual pause needs attention, as does a refused one', async () => {
  const source = await newSource()
  const part = async () => {
    const { parts } = (await service.call('GET', '/health')).value
    const found = parts.filter(({ part }: { part: string }) => part === 'sources')
    return found
      .filter(({ message }: { message: string }) => message.includes(source))
      .map(({ state, message, since }: Record<string, string>) => `${state}: ${message} ${since}`)
  }
  for (let trial = 0; trial < 2; trial += 1) {
    await send(source, 'ID,name,categoryId\n1,Rex,1\n')
    service.clock.advance(60_000)
  }
  service.clock.advance(3 * HOUR_MS)
  const tried = (await service.call('GET', `/sources/${source}`)).value
  assert.deepEqual([tried.expectedPauseSeconds, tried.nextExpectedAt, tried.isLate], [null, null, false])
  for (let night = 0; night < 4; night += 1) {
    await send(source, 'ID,name,categoryId\n1,Rex,1\n')
    service.clock.advance(24 * HOUR_MS)
  }
  const { value } = await service.call('GET', `/sources/${source}`)
  assert.ok(Math.abs(Number(value.expectedPauseSeconds) - 86_400) < 60)
  assert.deepEqual([value.isLate, await part()], [false, []])
  service.clock.advance(25 * HOUR_MS)
  const late = (await service.call('GET', `/sources/${source}`)).value
  assert.equal(late.isLate, true)
  const [missing = ''] = await part()
  assert.match(missing, /^degraded: A file of the source \S+ is missing\. The last one came at /)
  assert.ok(missing.endsWith(` ${late.nextExpectedAt}`), missing)
  await service.call('PATCH', `/sources/${source}`, { body: { pauseSeconds: 604_800 } })
  assert.deepEqual(await part(), [])
  const [{ before, after, details }] = (await service.call('GET', '/audit?action=source.change&limit=1')).value
  assert.deepEqual([before, after, details], [{ pauseSeconds: null }, { pauseSeconds: 604_800n }, { name: source }])
  await service.call('PATCH', `/sources/${source}`, { body: { pauseSeconds: null } })
  assert.equal((await part()).length, 1)
  await send(source, 'ID,name,categoryId\n1,Rex,1\n')
  assert.deepEqual(await part(), [])
  await send(source, 'ID,name,categoryId\n1,,1\n')
  const [refused = ''] = await part()
  assert.match(refused, /^degraded: The last file of the source \S+ was refused: 1 line is invalid\. Line 2: name /)
  assert.ok(refused.endsWith(` ${(await service.call('GET', `/sources/${source}`)).value.lastRun.at}`), refused)
})
