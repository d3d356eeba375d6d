import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call as callPublic } from '../support/call.ts'
import { type AdminAnswer, type AdminItem, assertRefused, startOperatorService } from '../support/operator.ts'

// Actions on animals are undone by their entries in the audit log, and animals return to earlier states. The public API keeps its promises.

const service = await startOperatorService({ after })
const { key } = await service.createCaller()
let categories = 500n

test('the animals of an imported file are taken out again, and brought back, by the entry of the import', async () => {
  const category = newCategory()
  const file = `name,categoryId\nRex,${category}\nMia,${category}\nMax,${category}\n`
  const { firstId } = (await service.call('POST', '/pets/import', { body: file, type: 'text/csv' })).value
  const id = await lastEntry()
  await correct(firstId, { status: 'sold' })
  const correction = await lastEntry()
  const preview = (await service.call('GET', `/audit/${id}/undo`)).value
  assert.deepEqual([preview.undone, preview.kept], [2n, 1n])
  const { at: _, ...change } = preview.changedSince[0].change
  const expected = { id: correction, actor: `Sam (token ${service.staff.id})`, action: 'pet.correct' }
  assert.deepEqual([preview.changedSince[0].petId, change], [firstId, expected])
  assert.equal((await animals(category)).length, 3)

  const undone = await undo(id)
  assert.deepEqual([undone.status, undone.value], [201, { entryId: await lastEntry(), ...preview }])
  assert.deepEqual(
    (await animals(category)).map(({ name }) => name),
    ['Rex'],
  )
  const [entry] = (await service.call('GET', '/audit?limit=1')).value
  assert.deepEqual([entry.action, entry.details], ['pet.undo', { entryId: id, count: 2n, kept: 1n }])
  assertRefused(await undo(id), 'conflict', /all of its animals have changed since/)

  assert.equal((await undo(undone.value.entryId)).value.undone, 2n)
  const again = (await animals(category)).map(({ id, name }) => [id - firstId, name])
  assert.deepEqual(again, [
    [0n, 'Rex'],
    [1n, 'Mia'],
    [2n, 'Max'],
  ])
})

test('an animal that another program has changed stays as it is', async () => {
  const category = newCategory()
  const [first, second] = [
    await add({ name: 'Rex', categoryId: category }),
    await add({ name: 'Mia', categoryId: category }),
  ]
  const body = { filter: { categoryId: category } }
  const { version } = (await service.call('POST', '/pets/bulk/preview', { body })).value
  await service.call('POST', '/pets/bulk/correct', { body: { ...body, change: { status: 'sold' }, version } })
  // As an instance of version 1.1.0 does, which has no history.
  await service.backend.execute(`UPDATE pet SET status = 'pending' WHERE id = ${first.value.id}`)
  const undone = (await undo(await lastEntry())).value
  assert.deepEqual([undone.undone, undone.kept], [1n, 1n])
  assert.deepEqual(undone.changedSince, [{ petId: first.value.id, change: null }])
  const statuses = (await animals(category)).map(({ id, status }) => [id, status])
  assert.deepEqual(statuses, [
    [first.value.id, 'pending'],
    [second.value.id, 'available'],
  ])
})

test('an animal that comes back is at once where it was in every page, also in pages that are kept', async () => {
  const category = newCategory()
  const made = Array.from({ length: 4 }, (_, place) => add({ name: `Walk ${place}`, categoryId: category }))
  const ids = (await Promise.all(made))
    .map(({ value }) => value.id as bigint)
    .toSorted((one, other) => Number(one - other))
  const [first, second] = ids as [bigint, bigint]
  // Full pages are kept from the second call on.
  const path = `/v1/pets?limit=100`
  const pageOf = async (target = path) => {
    const answers = [await callPublic(service, { path: target, key }), await callPublic(service, { path: target, key })]
    assert.equal(answers[0]?.text, answers[1]?.text)
    return answers[1] as (typeof answers)[number]
  }
  const whole = await pageOf()
  const one = await pageOf(`/v1/pets/${second}`)
  await remove(second)
  const without = await pageOf()
  assert.ok(!without.text.includes(`"id":${second},`))
  assert.equal((await callPublic(service, { path: `/v1/pets/${second}`, key })).status, 404)
  await undo(await lastEntry())
  assert.equal((await pageOf()).text, whole.text)
  const back = await pageOf(`/v1/pets/${second}`)
  assert.equal(back.text, one.text)
  // The same content has the same tag, and no other content has it.
  assert.equal(back.header('etag'), one.header('etag'))
  assert.notEqual(without.header('etag'), whole.header('etag'))
  const stale = { 'If-None-Match': without.header('etag') ?? '' }
  assert.equal((await callPublic(service, { path, key, headers: stale })).status, 200)

  // A walk that is behind the animal when it comes back does not meet it, and one before it meets it once.
  await remove(second)
  const [names, rest] = await walkFrom(first - 1n, () => undo(lastEntry()))
  assert.deepEqual([names, rest], [['Walk 0'], ['Walk 1', 'Walk 2', 'Walk 3']])
})

test('a repeated creation gets its first answer, also after its animal was deleted and has come back', async () => {
  const request = {
    method: 'POST',
    path: '/v1/pets',
    key,
    headers: { 'Idempotency-Key': `undo-${crypto.randomUUID()}` },
    body: JSON.stringify({ name: 'Once', categoryId: Number(newCategory()) }),
  }
  const first = await callPublic(service, request)
  const { id } = JSON.parse(first.text)
  await remove(BigInt(id))
  assert.equal((await callPublic(service, request)).text, first.text)
  await undo(await lastEntry())
  const replayed = await callPublic(service, request)
  assert.deepEqual([replayed.text, replayed.header('idempotency-replayed')], [first.text, 'true'])
  assert.equal((await callPublic(service, { path: `/v1/pets/${id}`, key })).text, first.text)
})

test('an entry that does not exist, or did not change animals, cannot be undone', async () => {
  await service.createToken('staff')
  const id = await lastEntry()
  assertRefused(await undo(id), 'conflict', `Entry ${id} cannot be undone: it did not change animals.`)
  assertRefused(await service.call('GET', `/audit/${id}/undo`), 'conflict')
  for (const unknown of [999_999n, 0n, -1n]) assertRefused(await undo(unknown), 'not_found')
  const before = service.snapshot()
  assertRefused(await service.call('POST', `/audit/x/undo`, { body: {} }), 'not_found')
  assertRefused(await service.call('POST', `/audit/1/undo`, { body: { dryRun: true } }), 'invalid_body')
  assert.deepEqual(service.snapshot(), before)
})

test('an animal returns to any state of its history, also after its deletion', async () => {
  const categoryId = newCategory()
  const added = (await add({ name: 'Rex', categoryId })).value
  const { id } = added
  const addition = await lastEntry()
  await correct(id, { status: 'sold' })
  const sold = await lastEntry()
  await correct(id, { name: 'Max', categoryId: 1n })
  const renamed = await lastEntry()

  const back = await restore(id, { entryId: sold, state: 'after' })
  assert.deepEqual([back.status, back.value.name, back.value.status], [200, 'Rex', 'sold'])
  assert.equal(back.header('etag'), back.value.etag)
  const [event] = (await service.call('GET', `/pets/${id}/history`)).value
  assert.deepEqual([event.action, event.before.name, event.after.name], ['pet.restore', 'Max', 'Rex'])
  // Nothing is written if it already has these values.
  const entries = await lastEntry()
  assert.equal((await restore(id, { entryId: renamed, state: 'before' })).status, 200)
  assert.equal(await lastEntry(), entries)

  await remove(id)
  const deletion = await lastEntry()
  const first = await restore(id, { entryId: addition, state: 'after' })
  assert.deepEqual(first.value, added)
  assertRefused(await restore(id, { entryId: addition, state: 'before' }), 'conflict', /it did not exist/)
  assertRefused(await restore(id, { entryId: deletion, state: 'after' }), 'conflict', /it did not exist/)
  assertRefused(await restore(id, { entryId: 999_999n, state: 'before' }), 'not_found', /did not change animal/)
  assertRefused(await restore(id, { entryId: 2n ** 63n - 1n, state: 'before' }), 'not_found', /did not change animal/)
  assertRefused(await restore(999_999n, { entryId: addition, state: 'after' }), 'not_found')
  // What has been restored can be undone.
  await undo(await lastEntry())
  assertRefused(await service.call('GET', `/pets/${id}`), 'not_found')
})

test('an animal that has changed since it was read does not return to an earlier state', async () => {
  const { id, etag } = (await add({ name: 'Rex', categoryId: newCategory() })).value
  const addition = await lastEntry()
  const past = { entryId: addition, state: 'after' }
  await correct(id, { name: 'Max' })
  assertRefused(await restore(id, past, etag), 'precondition_failed')
  await remove(id)
  assertRefused(await restore(id, past, etag), 'precondition_failed')
  assert.equal((await restore(id, past)).value.etag, etag)
})

/** The names of a walk in steps of one animal, and of its rest after this was done at the second step. */
async function walkFrom(after: bigint, act: () => Promise<unknown>): Promise<[string[], string[]]> {
  const names: string[][] = []
  for (let afterId = after, isFirst = true; ; isFirst = false) {
    const [next] = (await service.call('GET', `/pets?after=${afterId}&limit=1`)).value
    if (!next) return names as [string[], string[]]
    if (isFirst) {
      names.push([next.name], [])
      await act()
    } else names[1]?.push(next.name)
    afterId = next.id
  }
}

function newCategory(): bigint {
  categories += 1n
  return categories
}

function add(body: unknown): Promise<AdminAnswer> {
  return service.call('POST', '/pets', { body })
}

async function correct(id: bigint, body: unknown): Promise<void> {
  const headers = { 'If-Match': '*' }
  const { status } = await service.call('PATCH', `/pets/${id}`, { token: service.staff.token, headers, body })
  assert.equal(status, 200)
}

async function remove(id: bigint): Promise<void> {
  const { status } = await service.call('DELETE', `/pets/${id}`, { headers: { 'If-Match': '*' } })
  assert.equal(status, 204)
}

async function undo(id: bigint | Promise<bigint>): Promise<AdminAnswer> {
  return service.call('POST', `/audit/${await id}/undo`, { token: service.staff.token, body: {} })
}

function restore(id: bigint, body: unknown, ifMatch?: string): Promise<AdminAnswer> {
  const headers = ifMatch === undefined ? {} : { 'If-Match': ifMatch }
  return service.call('POST', `/pets/${id}/restore`, { token: service.staff.token, headers, body })
}

async function lastEntry(): Promise<bigint> {
  return (await service.call('GET', '/audit?limit=1')).value[0].id
}

async function animals(categoryId: bigint): Promise<AdminItem[]> {
  return (await service.call('GET', `/pets?categoryId=${categoryId}`)).value
}

test('the response to each action on an animal names its entry, also if the request is repeated', async () => {
  const match = { headers: { 'If-Match': '*' } }
  const creation = { body: { name: 'Rex', categoryId: 1 }, headers: { 'Idempotency-Key': 'names-its-entry' } }
  const added = await service.call('POST', '/pets', creation)
  const path = `/pets/${added.value.id}`
  const first = entryOf(added)
  assert.equal(first, await lastEntry())
  const correct = () => service.call('PATCH', path, { ...match, body: { status: 'sold' } })
  const correction = entryOf(await correct())
  assert.equal(correction, await lastEntry())
  assert.equal(entryOf(await correct()), undefined, 'nothing was changed')
  assert.equal(entryOf(await service.call('DELETE', path, match)), await lastEntry())
  const restored = await service.call('POST', `${path}/restore`, { body: { entryId: correction, state: 'before' } })
  assert.equal(entryOf(restored), await lastEntry())
  assert.equal(entryOf(await service.call('POST', '/pets', creation)), first)
})

function entryOf(answer: AdminAnswer): bigint | undefined {
  const id = answer.header('petstore-entry-id')
  return id === undefined ? undefined : BigInt(id)
}
