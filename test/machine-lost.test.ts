import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeStore, petstore, startServe, type TestStore } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { parseScrape, sumOf } from './support/scrape.ts'

const CREATORS = 16

test('a lost machine only loses creations that were not yet copied, and an earlier point in time can be restored', {
  timeout: 60_000,
}, async t => {
  const copyFolder = join(await temporaryFolder(t), 'copy')
  await mkdir(copyFolder)
  const store = await makeStore(t, { PETSTORE_COPY_TO: copyFolder, PETSTORE_COPY_EVERY: '1' })
  const key = await store.act(async context => {
    const { createAccount } = await import('../src/domain/administration/accounts.ts')
    const { issueKey } = await import('../src/domain/administration/keys.ts')
    const limits = { perMinute: 1_000_000, perDay: 1_000_000 }
    await createAccount(context, { name: 'acme', plan: 'enterprise', limits })
    return (await issueKey(context, { account: 'acme' })).key
  })
  const service = await startServe(t, {}, { store })

  const acknowledged: { id: number; requestedAt: number; at: number }[] = []
  let isLost = false
  const creators = Array.from({ length: CREATORS }, async (_, creator) => {
    while (!isLost) {
      const body = JSON.stringify({ name: `animal of ${creator}`, categoryId: 1 })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const requestedAt = Date.now()
      const response = await fetch(`${service.url}/v1/pets`, { method: 'POST', headers, body }).catch(() => undefined)
      if (!response?.ok) return
      const pet = (await response.json().catch(() => undefined)) as { id: number } | undefined
      if (pet) acknowledged.push({ id: pet.id, requestedAt, at: Date.now() })
    }
  })
  const copiedTo = async () => {
    const scrape = parseScrape(await (await fetch(`${service.operatorUrl}/metrics`)).text())
    return 1_000 * (sumOf(scrape, 'petstore_copied_to_timestamp_seconds') ?? 0)
  }
  const early = await eventually(async () => {
    assert.ok(acknowledged.length > 100)
    const to = await copiedTo()
    assert.ok(to > (acknowledged[0]?.at ?? 0))
    return to
  })
  const reached = await eventually(async () => {
    const to = await copiedTo()
    assert.ok(to > early + 1_500)
    return to
  })
  service.child.kill('SIGKILL')
  const lostAt = Date.now()
  isLost = true
  await Promise.all(creators)
  await rm(store.folder, { recursive: true })

  const restoredIds = async (...args: string[]) => {
    const restored = await makeStore(t)
    const begun = performance.now()
    const { code, stdout, stderr } = await petstore(['restore', copyFolder, '--json', ...args], restored.env)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    const { at, animals } = JSON.parse(stdout)
    return { at: Date.parse(at), animals, ids: await idsOf(restored), ms: performance.now() - begun }
  }
  const last = await restoredIds()
  assert.ok(last.at >= reached, 'nothing that was reported as copied is lost')
  for (const { id, at } of acknowledged) {
    if (at < reached) assert.ok(last.ids.has(id), `animal ${id}`)
  }
  assert.equal(last.ids.size, Math.max(...last.ids), 'all animals until the last one')
  const lost = acknowledged.filter(({ id }) => !last.ids.has(id))
  const lostMs = lost.length === 0 ? 0 : lostAt - Math.min(...lost.map(({ at }) => at))
  t.diagnostic(`${acknowledged.length} acknowledged; ${lost.length} lost, of the last ${Math.round(lostMs)} ms`)
  t.diagnostic(`restored ${last.animals} animals in ${Math.round(last.ms)} ms`)

  const past = await restoredIds('--at', new Date(early).toISOString())
  assert.ok(past.at <= early)
  for (const { id, requestedAt, at } of acknowledged) {
    if (at < past.at - 1_000) assert.ok(past.ids.has(id))
    if (requestedAt > past.at) assert.ok(!past.ids.has(id), `animal ${id} is of a later time`)
  }
  assert.ok(past.ids.size < last.ids.size)
})

async function idsOf(store: TestStore): Promise<Set<number>> {
  return store.act(async ({ store: opened }) => {
    const { pets } = await opened.listPets({ status: undefined, afterId: 0n, limit: 1_000_000 })
    return new Set(pets.map(({ id }) => Number(id)))
  })
}
