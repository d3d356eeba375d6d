import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type NewPet, PET_STATUSES, type Pet, type PetStatus } from './pet.ts'
import type { OpenedTransfer } from './pet-transfer.contract.ts'
import type { SyncLine } from './pet-transfer.ts'
import { MISSING_RULES, type MissingRule } from './source.ts'
import { byId, entry } from './store-contract/fixtures.contract.ts'

/** The contract of every store: histories, deleted animals, counts and undoing are right after any actions on animals, in any order. */
export function animalHistoriesContract(name: string, open: () => Promise<OpenedTransfer>): void {
  test(`${name}: after any actions on animals, what is known of them is what a model says`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 30, maxLength: 60 }), async history => {
        const opened = await open()
        try {
          const world = new World(opened)
          for (const action of history) await world.carryOut(action)
        } finally {
          await opened.close()
        }
      }),
      { numRuns: 5 },
    )
  })
}

type Action =
  | { type: 'create' | 'add'; pet: NewPet }
  | { type: 'import'; pets: readonly NewPet[] }
  | { type: 'correct' | 'update' | 'bringBack'; at: number; pet: NewPet }
  | { type: 'delete'; at: number }
  | { type: 'undo'; at: number }
  | { type: 'correctMany'; from: PetStatus; to: PetStatus }
  | { type: 'deleteMany'; categoryId: bigint }
  | { type: 'sync'; lines: readonly Line[]; missing: MissingRule; isRepeated: boolean }
  | { type: 'index' }

/** An external id, and the values of the animal. */
type Line = [externalId: string, pet: Omit<NewPet, 'status'> & { status: PetStatus | undefined }]

const status = fc.constantFrom(...PET_STATUSES)
const categoryId = fc.bigInt(0n, 3n)
const values = { name: fc.constantFrom('Rex', 'Tom', 'Zoë', 'KIRA'), categoryId }
const pet = fc.record({ ...values, status })
const line = fc.tuple(
  fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  fc.record({ ...values, status: fc.option(status, { nil: undefined, freq: 1 }) }),
)
const lines = fc.uniqueArray(line, { selector: ([externalId]) => externalId, minLength: 2 })
const at = fc.nat(1_000)

const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: is('create', 'add'), pet }),
  fc.record({ type: is('import'), pets: fc.array(pet, { minLength: 1, maxLength: 4 }) }),
  { weight: 3, arbitrary: fc.record({ type: is('correct', 'update', 'bringBack'), at, pet }) },
  fc.record({ type: is('delete'), at }),
  fc.record({ type: is('correctMany'), from: status, to: status }),
  fc.record({ type: is('deleteMany'), categoryId }),
  {
    weight: 4,
    arbitrary: fc.record({
      type: is('sync'),
      lines,
      missing: fc.constantFrom(...MISSING_RULES),
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: is('undo'), at }) },
  fc.record({ type: is('index') }),
)

function is<Type extends Action['type']>(...types: Type[]): fc.Arbitrary<Type> {
  return fc.constantFrom(...types)
}

interface Change {
  id: bigint
  before: Pet | undefined
  after: Pet | undefined
}

const ALL = { limit: 1_000 }
const STRICT = { skipRefused: false }

class World {
  readonly #store: OpenedTransfer['store']
  readonly #transfer: OpenedTransfer['transfer']
  #animals = new Map<bigint, Pet>()
  readonly #deleted = new Map<bigint, Pet>()
  readonly #entries = new Map<bigint, Change[]>()
  #now = Date.UTC(2025, 2, 1)

  constructor({ store, transfer }: OpenedTransfer) {
    this.#store = store
    this.#transfer = transfer
  }

  async carryOut(action: Action): Promise<void> {
    this.#now += 1_000
    if (action.type === 'undo') await this.#undoAny(action.at)
    else if (action.type === 'sync') await this.#syncOften(action)
    else await this.#note(await this.#act(action))
    await this.#compare()
  }

  /** Returns the entry of the audit log, if there is one. */
  async #act(action: Exclude<Action, { type: 'undo' | 'sync' }>): Promise<bigint | undefined> {
    const store = this.#store
    switch (action.type) {
      case 'index':
        await store.indexPets({ minAnimals: 1, maxMs: 60_000 })
        return undefined
      case 'create':
        await store.createPet(action.pet, this.#now)
        return undefined
      case 'add':
        return (await store.addPet(action.pet, entry('pet.create'))).entryId
      case 'import': {
        const run = await this.#transfer.beginImport()
        await run.stage(action.pets.map((pet, index) => ({ line: index + 2, id: undefined, ...pet })))
        return (await run.commit(entry('pet.import'), STRICT)).entryId
      }
      case 'correct': {
        const found = pick(this.#animals, action.at)
        // Only what changes an animal is written.
        if (describeValues(found) === describeValues(action.pet)) return undefined
        return found && store.correctPet(found, { ...action.pet, id: found.id }, entry('pet.correct'))
      }
      case 'update': {
        const found = pick(this.#animals, action.at)
        const run = await this.#transfer.beginUpdate()
        if (found) await run.stage([{ line: 2, id: found.id, change: action.pet }])
        return (await run.commit(entry('pet.update'), STRICT)).entryId
      }
      case 'delete': {
        const found = pick(this.#animals, action.at)
        return found && store.deletePet(found, entry('pet.delete'))
      }
      case 'bringBack': {
        const found = pick(this.#deleted, action.at)
        return found && store.bringBackPet({ ...action.pet, id: found.id }, entry('pet.restore'))
      }
      case 'correctMany': {
        const filter = { statuses: [action.from] }
        const { version } = await store.previewPets(filter)
        const change = { status: action.to }
        return (await store.correctPets(filter, change, version, entry('pet.correct-many')))?.entryId
      }
      case 'deleteMany': {
        const filter = { categoryId: action.categoryId }
        const { version } = await store.previewPets(filter)
        return (await store.deletePets(filter, version, entry('pet.delete-many')))?.entryId
      }
    }
  }

  /** The same file changes nothing a second time. Once the sync has been undone, it changes the same. */
  async #syncOften({ lines, missing, isRepeated }: Extract<Action, { type: 'sync' }>): Promise<void> {
    const entryId = await this.#sync(lines, missing)
    const changes = await this.#note(entryId)
    assert.equal(await this.#sync(lines, missing), undefined)
    if (entryId === undefined || !isRepeated) return
    const synced = sorted(this.#animals)
    await this.#undo(entryId)
    await this.#note(await this.#sync(lines, missing))
    // An animal that was missing is available when it comes back, unless an operator has corrected it meanwhile.
    const wasCorrected = changes.some(
      ({ before, after }) => before?.status === 'pending' && after?.status === 'available',
    )
    if (!wasCorrected) assert.deepEqual(sorted(this.#animals).map(withoutId), synced.map(withoutId))
  }

  async #sync(lines: readonly Line[], missing: MissingRule): Promise<bigint | undefined> {
    const run = await this.#transfer.beginSync({ source: 'riverside', mayCreate: true, maxRemovals: '100%', missing })
    await run.stage(lines.map(([externalId, change], index): SyncLine => ({ line: index + 2, externalId, change })))
    this.#now += 1_000
    return (await run.commit(entry('pet.sync', { at: this.#now, details: { file: 'feed.csv' } }), STRICT)).entryId
  }

  async #undoAny(at: number): Promise<void> {
    const ids = [...this.#entries.keys()]
    const id = ids[ids.length - 1 - (at % 12)]
    if (id !== undefined) await this.#undo(id)
  }

  /** Of the animals of an entry, those that have not changed since return to their state before it. */
  async #undo(entryId: bigint): Promise<void> {
    const changes = this.#entries.get(entryId) ?? []
    const undone = changes.filter(({ id }) => this.#lastEntryOf(id) === entryId)
    const outcome = await this.#store.undo(entryId, entry('pet.undo', { at: this.#now }))
    if (undone.length === 0) return assert.ok('refusal' in outcome)
    assert.ok('undone' in outcome)
    assert.deepEqual([outcome.undone, outcome.kept], [undone.length, changes.length - undone.length])
    const expected = new Map(this.#animals)
    for (const { id, before } of undone) {
      if (before) expected.set(id, before)
      else expected.delete(id)
    }
    await this.#note(outcome.entryId)
    assert.deepEqual(sorted(this.#animals), sorted(expected))
  }

  #lastEntryOf(id: bigint): bigint | undefined {
    return [...this.#entries].findLast(([, changes]) => changes.some(change => change.id === id))?.[0]
  }

  /** Reads what an action has changed. Without an entry, it may only have added animals. */
  async #note(entryId: bigint | undefined): Promise<Change[]> {
    const before = this.#animals
    const { pets } = await this.#store.searchPets(ALL)
    this.#animals = new Map(pets.map(pet => [pet.id, pet]))
    const ids = new Set([...before.keys(), ...this.#animals.keys()])
    const changes = [...ids]
      .map(id => ({ id, before: before.get(id), after: this.#animals.get(id) }))
      .filter(change => describe(change.before) !== describe(change.after))
    for (const change of changes) {
      if (change.after) this.#deleted.delete(change.id)
      else if (change.before) this.#deleted.set(change.id, change.before)
    }
    if (entryId !== undefined) this.#entries.set(entryId, changes)
    else assert.ok(changes.every(change => change.before === undefined))
    return changes
  }

  async #compare(): Promise<void> {
    const store = this.#store
    const deleted = (await store.searchDeletedPets(ALL)).pets
    assert.deepEqual(deleted.map(describe).sort(), [...this.#deleted.values()].map(describe).sort())
    const counts = await store.countPets({})
    const countOf = (one: PetStatus) => [...this.#animals.values()].filter(pet => pet.status === one).length
    assert.deepEqual(counts, Object.fromEntries(PET_STATUSES.map(one => [one, countOf(one)])))
    for (const id of [...this.#animals.keys(), ...this.#deleted.keys()].slice(-3)) {
      const changesOf = [...this.#entries].flatMap(([entryId, changes]) =>
        changes.filter(change => change.id === id).map(({ before, after }) => ({ entryId, before, after })),
      )
      const events = await store.listPetHistory({ petId: id, ...ALL })
      assert.deepEqual(
        events.map(event => [event.id, describeValues(event.before)]),
        changesOf.toReversed().map(({ entryId, before }) => [entryId, describeValues(before)]),
      )
    }
  }
}

function pick(animals: ReadonlyMap<bigint, Pet>, at: number): Pet | undefined {
  return [...animals.values()][at % Math.max(animals.size, 1)]
}

function sorted(animals: ReadonlyMap<bigint, Pet>): Pet[] {
  return [...animals.values()].toSorted(byId)
}

function withoutId({ name, categoryId, status }: Pet): NewPet {
  return { name, categoryId, status }
}

function describeValues(pet: NewPet | undefined): string | undefined {
  return pet && `${pet.name} ${pet.categoryId} ${pet.status}`
}

function describe(pet: Pet | undefined): string | undefined {
  return pet && `${pet.id} ${describeValues(pet)}`
}
