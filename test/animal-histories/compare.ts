import assert from 'node:assert/strict'
import type { PetFilter } from '../../src/domain/pet-selection.ts'
import { RUNS_LEARNED_FROM } from '../../src/domain/source.ts'
import type { Store } from '../../src/domain/store.ts'
import type { Model } from './model.ts'
import type { Entry } from './shelter.ts'
import { byPet, categoriesOf, countsOf, deletedOf, historyOf, logOf, petsOf } from './views.ts'

const ALL = { limit: 1_000 }

const SEARCHES: PetFilter[] = [{}, { name: 'kira' }, { name: 'rex', statuses: ['sold'] }, { name: 'ë', categoryId: 2n }]
const COUNTS: PetFilter[] = [{}, { categoryId: 1n }, { categoryId: 6n }, { name: 'tom' }]

/**
 * Compares what a store shows with a model.
 * @param entries those to compare, with the histories of their animals
 */
export async function compare(store: Store, model: Model, entries: readonly Entry[], actor: string): Promise<void> {
  for (const filter of SEARCHES) {
    assert.deepEqual((await store.searchPets({ ...filter, ...ALL })).pets, petsOf(model, filter))
  }
  for (const filter of COUNTS) assert.deepEqual(await store.countPets(filter), countsOf(petsOf(model, filter)))
  assert.deepEqual(await store.listCategories(ALL), categoriesOf(model))
  assert.deepEqual((await store.searchDeletedPets(ALL)).pets, deletedOf(model, actor))
  for (const id of new Set(entries.flatMap(({ changes }) => changes.map(({ petId }) => petId)))) {
    await compareHistory(store, model, id)
  }
  await compareEntries(store, model, entries)
  for (const name of ['hill', 'riverside']) await compareSource(store, model, name)
}

async function compareHistory(store: Store, model: Model, petId: bigint): Promise<void> {
  const history = await store.listPetHistory({ petId, ...ALL })
  assert.deepEqual(
    history.map(({ id, action, before, after }) => ({ id, action, before, after })),
    historyOf(model, petId),
  )
  const log = await store.listAudit({ subjectKind: 'pet', subjectId: petId, ...ALL })
  assert.deepEqual(
    log.map(({ id, pet }) => ({ id, pet })),
    logOf(model, petId).map(({ entry: { id }, change: { before, after } }) => ({
      ...{ id, pet: { id: petId, before, after } },
    })),
  )
}

async function compareEntries(store: Store, model: Model, entries: readonly Entry[]): Promise<void> {
  const listed = await store.listAudit(ALL)
  assert.equal(listed.length, model.entries.length)
  const byId = new Map(listed.map(entry => [entry.id, entry]))
  for (const { id, action, at, details, label, changes } of entries) {
    const found = byId.get(id)
    const known = Object.keys(details).map(name => [name, found?.details[name]])
    const expected = Object.entries(details).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? Number(value) : value,
    ])
    assert.deepEqual([found?.action, found?.at, known], [action, at, expected])
    if (label) {
      const labelled = { categoryId: found?.subjectId, before: found?.before?.label, after: found?.after?.label }
      assert.deepEqual(labelled, label)
    }
    const pets = await store.listPetsOfEntry({ entryId: id, afterId: 0n, ...ALL })
    assert.deepEqual(
      pets?.map(({ id: petId, ...states }) => ({ petId, ...states })),
      changes.toSorted(byPet),
    )
  }
}

async function compareSource(store: Store, model: Model, name: string): Promise<void> {
  const [found] = await store.listSources({ name })
  const source = model.sources.get(name)
  assert.deepEqual(found && [found.missing, found.maxRemovals], source && [source.missing, source.maxRemovals])
  if (!found || !source) return
  const { id, lastRun, syncedAt } = found
  const runs = await store.listSourceRuns({ sourceId: id, ...ALL })
  assert.deepEqual(
    runs.map(({ at, added, corrected, returned, removed, unchanged, leftOut, auditId, refusal }) => ({
      ...{ at, returned, removed, unchanged, entryId: auditId, isRefused: refusal !== undefined },
      ...{ imported: added, updated: corrected, badLines: leftOut },
    })),
    source.runs,
  )
  assert.deepEqual(lastRun, runs[0])
  const synced = runs.filter(({ refusal }) => refusal === undefined).map(({ at }) => at)
  assert.deepEqual(syncedAt, synced.slice(0, RUNS_LEARNED_FROM))
  const members = [...source.members].map(([externalId, { petId }]) => ({ petId, source: name, externalId }))
  const origins = await store.findOrigins(members.map(({ petId }) => petId))
  assert.deepEqual(origins.toSorted(byPet), members.toSorted(byPet))
}
