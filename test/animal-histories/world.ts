import assert from 'node:assert/strict'
import { labelCategory, unlabelCategory } from '../../src/domain/administration/categories.ts'
import type { AdminContext } from '../../src/domain/administration/context.ts'
import { addPet, correctPet, deletePet, restorePet } from '../../src/domain/administration/pets.ts'
import { correctPets, deletePets, previewPets } from '../../src/domain/administration/selected-pets.ts'
import { changeSource, createSource, removeSource } from '../../src/domain/administration/sources.ts'
import { UserError } from '../../src/domain/errors.ts'
import { fold } from '../../src/domain/fold.ts'
import { type NewPet, PET_STATUSES, type Pet, type PetStatus } from '../../src/domain/pet.ts'
import type { ImportReport, SyncTerms } from '../../src/domain/pet-files.ts'
import type { PetFilter } from '../../src/domain/pet-selection.ts'
import type { OpenedTransfer } from '../../src/domain/pet-transfer.contract.ts'
import { RUNS_LEARNED_FROM } from '../../src/domain/source.ts'
import type { PetChange } from '../../src/domain/store/animals.ts'
import { importAll } from '../../src/pet-files/import-pets.ts'
import { adminContext } from '../support/admin-context.ts'
import type { Action } from './actions.ts'
import { type Change, type Entry, type FileLine, Model, type ModelSource, type Report } from './model.ts'

const ALL = { limit: 1_000 }

export type Opened = Pick<OpenedTransfer, 'store' | 'transfer' | 'close'>

/** A real store beside a model of it: both carry out the same actions, and must agree on everything that can be seen. */
export class World {
  readonly #opened: Opened
  readonly #model = new Model()
  #now = Date.UTC(2027, 2, 1, 12)

  constructor(opened: Opened) {
    this.#opened = opened
  }

  async carryOut(action: Action): Promise<void> {
    this.#now += 1_000
    this.#model.now = this.#now
    const [{ store }, model] = [this.#opened, this.#model]
    const { corrections } = store.revision()
    const { highestId } = model
    const entries = model.entries.length
    await this.#act(action)
    const written = model.entries.slice(entries)
    await this.#compare(written)
    // What was read of animals, and is kept, is not as it was.
    const isCorrection = written.some(({ changes }) => changes.some(one => one.before || one.petId <= highestId))
    if (isCorrection) assert.notEqual(store.revision().corrections, corrections)
  }

  /** Compares all entries and all animals once more: later actions must not have changed what is known of earlier ones. */
  async end(): Promise<void> {
    const { entries } = this.#model
    await this.#compare(entries)
    for (const { id, changes } of entries) {
      const preview = await this.#opened.store.previewUndo(id)
      if (changes.length > 0) assert.deepEqual(undoOf(preview), this.#model.previewUndo(id))
      else assert.deepEqual(preview, { refusal: 'not of animals' })
    }
  }

  get #context(): AdminContext {
    return adminContext(this.#opened.store, this.#now)
  }

  async #act(action: Action): Promise<void> {
    const [model, context] = [this.#model, this.#context]
    const { store } = context
    switch (action.type) {
      case 'create': {
        const creation = await store.createPet(action.pet, this.#now)
        return assert.deepEqual(creation, { outcome: 'created', pet: { id: model.create(action.pet), ...action.pet } })
      }
      case 'add':
        return assert.deepEqual((await addPet(context, action.pet)).entryId, model.add(action.pet))
      case 'correct': {
        const found = this.#pick(action.at)
        if (!found) return
        const { entryId } = await correctPet(context, found, given(action.change))
        return assert.deepEqual(entryId, model.changeAnimals('pet.correct', [found.id], given(action.change)))
      }
      case 'delete': {
        const found = this.#pick(action.at)
        if (!found) return
        return assert.deepEqual(
          await deletePet(context, found),
          model.changeAnimals('pet.delete', [found.id], undefined),
        )
      }
      case 'correctMany': {
        const [change, { version }] = [given(action.change), await previewPets(store, action.filter)]
        const { entryId } = await correctPets(context, { filter: action.filter, version: version as string, change })
        return assert.deepEqual(entryId, model.changeAnimals('pet.correct-many', this.#selected(action.filter), change))
      }
      case 'deleteMany': {
        const { version } = await previewPets(store, action.filter)
        const { entryId } = await deletePets(context, { filter: action.filter, version: version as string })
        return assert.deepEqual(
          entryId,
          model.changeAnimals('pet.delete-many', this.#selected(action.filter), undefined),
        )
      }
      case 'import': {
        const lines = action.lines.map(({ id, ...line }) => ({
          ...line,
          id: id === undefined ? undefined : bigMax(model.highestId + BigInt(id), 1n),
        }))
        return this.#bring(lines, action.skipBad, () => model.importFile(lines, action.skipBad))
      }
      case 'update': {
        const lines = action.lines.map(({ id, ...line }) => ({
          ...line,
          id: (BigInt(id) % (model.highestId + 1n)) + 1n,
        }))
        return this.#bring(lines, action.skipBad, () => model.updateFile(lines, action.skipBad), 'update')
      }
      case 'sync': {
        const { skipBad, ...terms } = action.options
        const report = () => model.syncFile(action.lines, action.options)
        return this.#bring(action.lines, skipBad, report, { ...terms, mayCreate: true })
      }
      case 'restore':
        return this.#restore(action)
      case 'undo':
        return this.#undo(action.at)
      case 'label':
        await labelCategory(context, String(action.categoryId), action.label)
        return model.label(action.categoryId, action.label)
      case 'unlabel':
        await orRefused(unlabelCategory(context, String(action.categoryId)))
        return model.unlabel(action.categoryId)
      case 'createSource':
        await orRefused(createSource(context, action.source, action.settings))
        if (!model.sources.has(action.source)) model.createSource(action.source, action.settings)
        return
      case 'changeSource': {
        const { source, settings } = action
        await orRefused(changeSource(context, source, { ...settings, maxRemovals: settings.maxRemovals ?? null }))
        return model.changeSource(source, settings)
      }
      case 'removeSource':
        await orRefused(removeSource(context, action.source))
        return model.removeSource(action.source)
      case 'index':
        return store.indexPets({ minAnimals: 1, maxMs: 60_000 })
    }
  }

  /** Imports a file. A dry run says the same before. */
  async #bring(
    lines: readonly FileLine<unknown>[],
    skipBad: boolean,
    expect: () => Report,
    how?: 'update' | SyncTerms,
  ) {
    const dry = await this.#importFile(lines, skipBad, true, how)
    const done = await this.#importFile(lines, skipBad, false, how)
    const expected = expect()
    assert.deepEqual(reportOf(done), expected)
    assert.deepEqual(reportOf(dry), { ...expected, entryId: undefined }, 'the dry run')
  }

  #importFile(lines: readonly FileLine<unknown>[], skipBad: boolean, dryRun: boolean, how?: 'update' | SyncTerms) {
    const rows = lines.map(({ id = '', name = '', category = '', status = '' }) =>
      [id, name, category, status].join(','),
    )
    const file = Buffer.from(['id,name,category,status', ...rows, ''].join('\r\n'))
    return importAll(this.#opened.transfer, {
      format: 'csv',
      mode: how === 'update' ? 'update' : 'add',
      sync: typeof how === 'object' ? how : undefined,
      dryRun,
      skipBad,
      csv: { newCategories: true },
      name: 'animals.csv',
      actor: this.#context.actor,
      clock: () => this.#now,
      bytes: file.length,
      async *open() {
        yield file
      },
      onProgress() {},
    })
  }

  async #restore({ at, state, side }: Extract<Action, { type: 'restore' }>): Promise<void> {
    const model = this.#model
    const ids = [...new Set(model.entries.flatMap(({ changes }) => changes.map(({ petId }) => petId)))]
    const petId = ids[at % ids.length]
    if (petId === undefined) return
    const history = this.#historyOf(petId)
    const past = history[state % history.length] as (typeof history)[number]
    const current = model.animals.get(petId)
    const restored = orRefused(
      restorePet(this.#context, String(petId), current && { id: petId, ...current }, { entryId: past.id, side }),
    )
    const entryId =
      past[side] &&
      (current ? model.changeAnimals('pet.restore', [petId], past[side]) : model.bringBack(petId, past[side]))
    assert.deepEqual((await restored)?.entryId, entryId)
  }

  async #undo(at: number): Promise<void> {
    const entries = this.#model.entries.filter(({ changes }) => changes.length > 0)
    const id = entries[entries.length - 1 - (at % 12)]?.id
    if (id === undefined) return
    const { store } = this.#opened
    const preview = await store.previewUndo(id)
    assert.deepEqual(undoOf(preview), this.#model.previewUndo(id))
    const outcome = await store.undo(id, {
      at: this.#now,
      actor: 'ada',
      origin: '192.0.2.7',
      action: 'pet.undo',
      details: {},
    })
    const expected = this.#model.undo(id)
    if (!expected) return assert.deepEqual(outcome, { refusal: 'all changed' })
    assert.ok('undone' in outcome)
    assert.deepEqual({ ...undoOf(outcome), entryId: outcome.entryId }, expected)
  }

  #pick(at: number): Pet | undefined {
    const animals = this.#pets()
    return animals[at % animals.length]
  }

  #pets(filter: PetFilter = {}): Pet[] {
    const pets = [...this.#model.animals].map(([id, pet]) => ({ id, ...pet }))
    return pets.filter(pet => isSelected(pet, filter)).toSorted((one, other) => Number(one.id - other.id))
  }

  #selected(filter: PetFilter): bigint[] {
    return this.#pets(filter).map(({ id }) => id)
  }

  /** Newest first. An import does not have the values of its animals. */
  #historyOf(petId: bigint) {
    const events = this.#model.entries.flatMap(({ id, action, changes }) =>
      changes
        .filter(change => change.petId === petId)
        .map(({ before, after }) => ({ id, action, before, after: action === 'pet.import' ? undefined : after })),
    )
    return events.toReversed()
  }

  /** @param entries the new ones */
  async #compare(entries: readonly Entry[]): Promise<void> {
    const { store } = this.#opened
    const touched = new Set(entries.flatMap(({ changes }) => changes.map(({ petId }) => petId)))
    assert.deepEqual((await store.searchPets(ALL)).pets, this.#pets())
    const filters: PetFilter[] = [{ name: 'kira' }, { name: 'rex', statuses: ['sold'] }, { name: 'ë', categoryId: 2n }]
    for (const filter of filters)
      assert.deepEqual((await store.searchPets({ ...filter, ...ALL })).pets, this.#pets(filter))
    for (const filter of [{}, { categoryId: 1n }, { categoryId: 6n }, { name: 'tom' }]) {
      assert.deepEqual(await store.countPets(filter), countsOf(this.#pets(filter)))
    }
    assert.deepEqual(await store.listCategories(ALL), this.#categories())
    assert.deepEqual((await store.searchDeletedPets(ALL)).pets, this.#deleted())
    for (const petId of touched) {
      const history = await store.listPetHistory({ petId, ...ALL })
      const events = history.map(({ id, action, before, after }) => ({ id, action, before, after }))
      assert.deepEqual(events, this.#historyOf(petId))
      const log = await store.listAudit({ subjectKind: 'pet', subjectId: petId, ...ALL })
      const logged = this.#model.entries.flatMap(({ id, changes }) =>
        changes
          .filter(one => one.petId === petId)
          .map(({ before, after }) => ({ id, pet: { id: petId, before, after } })),
      )
      assert.deepEqual(
        log.map(({ id, pet }) => ({ id, pet })),
        logged.toReversed(),
      )
    }
    await this.#compareEntries(entries)
    for (const name of ['hill', 'riverside']) await this.#compareSource(name)
  }

  async #compareEntries(entries: readonly Entry[]): Promise<void> {
    const { store } = this.#opened
    const listed = (await store.listAudit(ALL)).reverse()
    assert.equal(listed.length, this.#model.entries.length)
    for (const { id, action, at, details, label, changes } of entries) {
      const found = listed[Number(id) - 1]
      const known = Object.fromEntries(Object.keys(details).map(name => [name, found?.details[name]]))
      const numbers = Object.entries(details).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? Number(value) : value,
      ])
      assert.deepEqual([found?.id, found?.action, found?.at, known], [id, action, at, Object.fromEntries(numbers)])
      if (label) {
        const { subjectId, before, after } = found ?? {}
        assert.deepEqual({ categoryId: subjectId, before: before?.label, after: after?.label }, label)
      }
      const pets = await store.listPetsOfEntry({ entryId: id, afterId: 0n, ...ALL })
      assert.deepEqual(
        pets?.map(({ id: petId, ...states }) => ({ petId, ...states })),
        changes.toSorted(byPet),
      )
    }
  }

  async #compareSource(name: string): Promise<void> {
    const { store } = this.#opened
    const [found] = await store.listSources({ name })
    const source = this.#model.sources.get(name)
    assert.deepEqual(found && [found.missing, found.maxRemovals], source && [source.missing, source.maxRemovals])
    if (!found || !source) return
    const runs = (await store.listSourceRuns({ sourceId: found.id, ...ALL })).map(
      ({ at, added, corrected, returned, removed, unchanged, leftOut, auditId, refusal }) => ({
        ...{ at, returned, removed, unchanged, entryId: auditId, isRefused: refusal !== undefined },
        ...{ imported: added, updated: corrected, badLines: leftOut },
      }),
    )
    assert.deepEqual(runs, source.runs)
    assert.equal(found.lastRun?.at, source.runs[0]?.at)
    const syncedAt = source.runs.filter(({ isRefused }) => !isRefused).map(({ at }) => at)
    assert.deepEqual(found.syncedAt, syncedAt.slice(0, RUNS_LEARNED_FROM))
    const members = [...source.members].map(([externalId, { petId }]) => ({ petId, source: name, externalId }))
    const origins = await store.findOrigins(members.map(({ petId }) => petId))
    assert.deepEqual(origins.toSorted(byPet), members.toSorted(byPet))
    await this.#compareMissing(source)
  }

  /** Which animals are missing shows in what a file would do that has all of them, without a status. */
  async #compareMissing({ name, members }: ModelSource): Promise<void> {
    if (members.size === 0) return
    const all = [...members].map(([id, { petId, isMissing }]) => ({
      id,
      isMissing,
      animal: this.#model.animals.get(petId),
    }))
    const lines = all.map(({ id, animal }) => ({
      ...{ id, name: animal?.name ?? 'Rex', category: String(animal?.categoryId ?? 1), status: undefined },
    }))
    const { returned } = await this.#importFile(lines, false, true, { source: name, mayCreate: false, missing: 'keep' })
    const missing = all.filter(({ animal, isMissing }) => !animal || (isMissing && animal.status !== 'available'))
    assert.equal(returned, missing.length, `missing animals of ${name}`)
  }

  #categories() {
    const { animals, labels } = this.#model
    const ids = new Set([...labels.keys(), ...[...animals.values()].map(({ categoryId }) => categoryId)])
    return [...ids]
      .map(id => ({ id, label: labels.get(id), animals: this.#pets({ categoryId: id }).length }))
      .toSorted((one, other) => Number(one.id - other.id))
  }

  #deleted() {
    const { animals, entries } = this.#model
    const last = new Map<bigint, { entry: Entry; change: Change }>()
    for (const entry of entries) for (const change of entry.changes) last.set(change.petId, { entry, change })
    return [...last]
      .filter(([petId]) => !animals.has(petId))
      .map(([id, { entry, change }]) => ({
        id,
        ...change.before,
        entryId: entry.id,
        deletedAt: entry.at,
        deletedBy: 'ada',
      }))
      .toSorted((one, other) => Number(one.id - other.id))
  }
}

function byPet(one: { petId: bigint }, other: { petId: bigint }): number {
  return Number(one.petId - other.petId)
}

function isSelected(pet: Pet, { name, statuses, categoryId }: PetFilter): boolean {
  return (
    (name === undefined || fold(pet.name).includes(fold(name))) &&
    (statuses === undefined || statuses.includes(pet.status)) &&
    (categoryId === undefined || pet.categoryId === categoryId)
  )
}

function countsOf(pets: readonly Pet[]): Record<PetStatus, number> {
  const count = (status: PetStatus) => pets.filter(pet => pet.status === status).length
  return Object.fromEntries(PET_STATUSES.map(status => [status, count(status)])) as Record<PetStatus, number>
}

function reportOf({
  imported,
  updated,
  returned,
  removed,
  unchanged,
  badLines,
  newCategories,
  entryId,
  refusal,
}: ImportReport): Report {
  const isRefused = refusal !== undefined
  return { imported, updated, returned, removed, unchanged, badLines, newCategories, entryId, isRefused }
}

function undoOf(outcome: Awaited<ReturnType<OpenedTransfer['store']['previewUndo']>>) {
  assert.ok('undone' in outcome)
  const { undone, kept, changedSince, labels } = outcome
  return {
    undone,
    kept,
    changedSince: changedSince.map(({ petId, change }) => ({ petId, entryId: change?.id })),
    labels,
  }
}

/** Undefined if it is refused. */
async function orRefused<Result>(done: Promise<Result>): Promise<Result | undefined> {
  try {
    return await done
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}

function given(change: PetChange): Partial<NewPet> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

function bigMax(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
