import assert from 'node:assert/strict'
import { labelCategory, unlabelCategory } from '../../src/domain/administration/categories.ts'
import { type AdminContext, entryOf } from '../../src/domain/administration/context.ts'
import { addPet, correctPet, deletePet, restorePet } from '../../src/domain/administration/pets.ts'
import { correctPets, deletePets, previewPets } from '../../src/domain/administration/selected-pets.ts'
import { changeSource, createSource, removeSource } from '../../src/domain/administration/sources.ts'
import { UserError } from '../../src/domain/errors.ts'
import type { NewPet } from '../../src/domain/pet.ts'
import type { ImportReport } from '../../src/domain/pet-files.ts'
import type { PetFilter } from '../../src/domain/pet-selection.ts'
import type { OpenedTransfer } from '../../src/domain/pet-transfer.contract.ts'
import type { PetChange } from '../../src/domain/store/animals.ts'
import { adminContext } from '../support/admin-context.ts'
import type { Action } from './actions.ts'
import { type AnimalFile, importFile } from './animal-file.ts'
import { compare } from './compare.ts'
import { Model, type ModelSource, type Report } from './model.ts'
import { historyOf, petsOf } from './views.ts'

export type Opened = Pick<OpenedTransfer, 'store' | 'transfer' | 'close'>

/** A real store beside a model of it: both carry out the same actions, and must agree on everything that can be seen. */
export class World {
  readonly #opened: Opened
  readonly #model = new Model()

  constructor(opened: Opened) {
    this.#opened = opened
  }

  async carryOut(action: Action): Promise<void> {
    const [{ store }, model] = [this.#opened, this.#model]
    model.now += 1_000
    const { highestId, entries } = model
    const [{ corrections }, { length }] = [store.revision(), entries]
    await this.#act(action)
    const written = entries.slice(length)
    await compare(store, model, written, this.#context.actor.name)
    if (action.type === 'sync' || action.type === 'undo') await this.#compareMissing()
    // Results that callers have kept may be wrong now.
    const isCorrection = written.some(({ changes }) => changes.some(one => one.before || one.petId <= highestId))
    if (isCorrection) assert.notEqual(store.revision().corrections, corrections)
  }

  /** Compares everything once more: later actions must not have changed what is known of earlier ones. */
  async end(): Promise<void> {
    const [{ store }, model] = [this.#opened, this.#model]
    await compare(store, model, model.entries, this.#context.actor.name)
    await this.#compareMissing()
    for (const { id, changes } of model.entries) {
      const preview = await store.previewUndo(id)
      if (changes.length > 0) assert.deepEqual(undoOf(preview), model.previewUndo(id))
      else assert.deepEqual(preview, { refusal: 'not of animals' })
    }
  }

  get #context(): AdminContext {
    return adminContext(this.#opened.store, this.#model.now)
  }

  async #act(action: Action): Promise<void> {
    const [model, context] = [this.#model, this.#context]
    const { store } = context
    switch (action.type) {
      case 'create': {
        const creation = await store.createPet(action.pet, model.now)
        return assert.deepEqual(creation, { outcome: 'created', pet: { id: model.create(action.pet), ...action.pet } })
      }
      case 'add': {
        const { entryId } = await addPet(context, action.pet)
        return assert.equal(entryId, model.add(action.pet))
      }
      case 'correct': {
        const [found, change] = [pick(petsOf(model), action.at), given(action.change)]
        if (!found) return
        const { entryId } = await correctPet(context, found, change)
        return assert.equal(entryId, model.correct('pet.correct', [found.id], change))
      }
      case 'delete': {
        const found = pick(petsOf(model), action.at)
        if (!found) return
        return assert.equal(await deletePet(context, found), model.delete('pet.delete', [found.id]))
      }
      case 'correctMany': {
        const [{ filter }, change] = [action, given(action.change)]
        const { entryId } = await correctPets(context, { filter, change, version: await this.#versionOf(filter) })
        return assert.equal(entryId, model.correct('pet.correct-many', this.#selected(filter), change))
      }
      case 'deleteMany': {
        const { filter } = action
        const { entryId } = await deletePets(context, { filter, version: await this.#versionOf(filter) })
        return assert.equal(entryId, model.delete('pet.delete-many', this.#selected(filter)))
      }
      case 'restore':
        return this.#restore(action)
      case 'undo':
        return this.#undo(action.at)
      case 'import': {
        const idAt = (above: number | undefined) => (above === undefined ? undefined : model.highestId + BigInt(above))
        const [lines, { skipBad }] = [action.lines.map(line => ({ ...line, id: idAt(line.id) })), action]
        return this.#bring({ lines, skipBad, as: 'add' }, () => model.importFile(lines, skipBad))
      }
      case 'update': {
        const idAt = (at: number) => (BigInt(at) % (model.highestId + 1n)) + 1n
        const [lines, { skipBad }] = [action.lines.map(line => ({ ...line, id: idAt(line.id) })), action]
        return this.#bring({ lines, skipBad, as: 'update' }, () => model.updateFile(lines, skipBad))
      }
      case 'sync': {
        const { lines, options } = action
        const { skipBad, ...terms } = options
        return this.#bring({ lines, skipBad, as: { ...terms, mayCreate: true } }, () => model.syncFile(lines, options))
      }
      case 'label':
        await labelCategory(context, String(action.categoryId), action.label)
        return model.label(action.categoryId, action.label)
      case 'unlabel':
        await orRefused(unlabelCategory(context, String(action.categoryId)))
        return model.label(action.categoryId, undefined)
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

  /** A dry run says what the file then does. */
  async #bring(file: AnimalFile, expect: () => Report): Promise<void> {
    const dry = await this.#import(file, true)
    const done = await this.#import(file, false)
    const expected = expect()
    assert.deepEqual(reportOf(done), expected)
    assert.deepEqual(reportOf(dry), { ...expected, entryId: undefined }, 'the dry run')
  }

  #import(file: AnimalFile, dryRun: boolean): Promise<ImportReport> {
    const { actor, now } = this.#context
    return importFile(this.#opened.transfer, file, { actor, now, dryRun })
  }

  async #restore({ at, state, side }: Extract<Action, { type: 'restore' }>): Promise<void> {
    const [model, context] = [this.#model, this.#context]
    const ids = model.entries.flatMap(({ changes }) => changes.map(({ petId }) => petId))
    const petId = pick([...new Set(ids)], at)
    if (petId === undefined) return
    const past = pick(historyOf(model, petId), state)
    if (!past) return
    const current = model.animals.get(petId)
    const expected = current && { id: petId, ...current }
    const restored = await orRefused(restorePet(context, String(petId), expected, { entryId: past.id, side }))
    const pet = past[side]
    assert.equal(restored?.entryId, pet && model.restore(petId, pet))
  }

  async #undo(at: number): Promise<void> {
    const [{ store }, model] = [this.#opened, this.#model]
    const entries = model.entries.filter(({ changes }) => changes.length > 0)
    // Of most entries, all animals have changed since.
    const undoable = entries.filter(({ id }) => model.previewUndo(id).undone > 0)
    const id = (at % 4 === 0 ? entries : undoable).at(-1 - (at % 7))?.id
    if (id === undefined) return
    assert.deepEqual(undoOf(await store.previewUndo(id)), model.previewUndo(id))
    const outcome = await store.undo(id, entryOf(this.#context, 'pet.undo'))
    const expected = model.undo(id)
    if (!expected) return assert.deepEqual(outcome, { refusal: 'all changed' })
    assert.deepEqual({ ...undoOf(outcome), entryId: 'entryId' in outcome && outcome.entryId }, expected)
  }

  #selected(filter: PetFilter): bigint[] {
    return petsOf(this.#model, filter).map(({ id }) => id)
  }

  async #versionOf(filter: PetFilter): Promise<string> {
    return String((await previewPets(this.#opened.store, filter)).version)
  }

  async #compareMissing(): Promise<void> {
    for (const source of this.#model.sources.values()) {
      if (source.members.size > 0) await this.#compareMissingOf(source)
    }
  }

  /** Which animals are missing shows in what a file would do that has all of them, without a status. */
  async #compareMissingOf({ name, members }: ModelSource): Promise<void> {
    const all = [...members].map(([id, { petId, isMissing }]) => ({
      ...{ id, isMissing, animal: this.#model.animals.get(petId) },
    }))
    const lines = all.map(({ id, animal: { name, categoryId } = { name: 'Rex', categoryId: 1n } }) => ({
      ...{ id, name, category: String(categoryId), status: undefined },
    }))
    const as = { source: name, mayCreate: false, missing: 'keep' } as const
    const { returned } = await this.#import({ lines, skipBad: false, as }, true)
    const missing = all.filter(({ animal, isMissing }) => !animal || (isMissing && animal.status !== 'available'))
    assert.equal(returned, missing.length, `missing animals of ${name}`)
  }
}

function pick<One>(all: readonly One[], at: number): One | undefined {
  return all[at % all.length]
}

function given(change: PetChange): Partial<NewPet> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

function reportOf(report: ImportReport): Report {
  const { imported, updated, returned, removed, unchanged, badLines, newCategories, entryId, refusal } = report
  const counts = { imported, updated, returned, removed, unchanged, badLines }
  return { ...counts, newCategories, entryId, isRefused: refusal !== undefined }
}

function undoOf(outcome: Awaited<ReturnType<Opened['store']['previewUndo']>>) {
  assert.ok('undone' in outcome)
  const { undone, kept, changedSince, labels } = outcome
  const since = changedSince.map(({ petId, change }) => ({ petId, entryId: change?.id }))
  return { undone, kept, changedSince: since, labels }
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
