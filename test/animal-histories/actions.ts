import fc from 'fast-check'
import { type NewPet, PET_STATUSES } from '../../src/domain/pet.ts'
import type { PetFilter } from '../../src/domain/pet-selection.ts'
import { MISSING_RULES, type MissingRule } from '../../src/domain/source.ts'
import type { PetChange } from '../../src/domain/store/animals.ts'
import type { FileLine, SourceSettings, SyncOptions } from './model.ts'

/** An action of staff, of software or of a partner. `at` picks an animal or an entry among those that there are. */
export type Action =
  | { type: 'create' | 'add'; pet: NewPet }
  | { type: 'correct'; at: number; change: PetChange }
  | { type: 'delete'; at: number }
  | { type: 'correctMany'; filter: PetFilter; change: PetChange }
  | { type: 'deleteMany'; filter: PetFilter }
  /** The id of a line is above the highest one by this many. */
  | { type: 'import'; lines: FileLine<number | undefined>[]; skipBad: boolean }
  | { type: 'update'; lines: FileLine<number>[]; skipBad: boolean }
  | { type: 'sync'; lines: FileLine<string>[]; options: SyncOptions }
  | { type: 'restore'; at: number; state: number; side: 'before' | 'after' }
  | { type: 'undo'; at: number }
  | { type: 'label'; categoryId: bigint; label: string }
  | { type: 'unlabel'; categoryId: bigint }
  | { type: 'createSource' | 'changeSource'; source: string; settings: SourceSettings }
  | { type: 'removeSource'; source: string }
  | { type: 'index' }

const WORDS = ['Cats', 'Dogs', 'cats']

/** Few values, so that actions meet. */
const name = fc.constantFrom('Rex', 'Tom', 'Zoë', 'KIRA')
const categoryId = fc.bigInt(1n, 7n)
const status = fc.constantFrom(...PET_STATUSES)
const at = fc.nat(1_000)
const pet = record({ name, categoryId, status })
const blank = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const change = record({ name: blank(name), categoryId: blank(categoryId), status: blank(status) })
const filter = fc.oneof(
  record({ statuses: status.map(one => [one]) }),
  record({ categoryId }),
  record({ name: fc.constantFrom('rex', 'kira') }),
)
const category = fc.oneof(weighted(3, fc.constantFrom('1', '2')), weighted(2, fc.constantFrom(...WORDS)))
const skipBad = fc.boolean()
const source = mostly('riverside', fc.constant('hill'))
const missing = fc.constantFrom(...MISSING_RULES)
const settings = {
  missing: mostly<MissingRule>('sold', missing),
  maxRemovals: fc.constantFrom(undefined, '1', '50%', '100%'),
}

interface Cells {
  name: fc.Arbitrary<string | undefined>
  category: fc.Arbitrary<string | undefined>
}

function lines<Id>(id: fc.Arbitrary<Id>, cells: Cells, maxLength = 4): fc.Arbitrary<FileLine<Id>[]> {
  const line = record({ id, ...cells, status: mostly(undefined, status) })
  return fc.array(line, { minLength: 1, maxLength, size: 'max' })
}

function mostly<Value>(usual: Value, others: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof(weighted(3, fc.constant(usual)), others)
}

/** Most lines of a feed are as before. Mostly there is one for each animal, and rarely one without an id. */
const feedLines = lines(fc.oneof(weighted(30, fc.constantFrom('a', 'b', 'c', 'd')), fc.constant('')), {
  name: mostly('Rex', name),
  category: mostly('1', category),
})
const feed = fc.oneof(
  weighted(
    5,
    feedLines.map(all => [...new Map(all.map(line => [line.id, line])).values()]),
  ),
  feedLines,
)

const options = record({
  source,
  missing: mostly<MissingRule | undefined>(undefined, missing),
  maxRemovals: mostly<string | undefined>('100%', settings.maxRemovals),
  skipBad,
})

export const action: fc.Arbitrary<Action> = fc.oneof(
  weighted(8, record({ type: is('sync'), lines: feed, options })),
  weighted(6, record({ type: is('undo'), at })),
  weighted(4, record({ type: is('correct'), at, change })),
  record({ type: is('delete'), at }),
  record({ type: is('correctMany'), filter, change }),
  record({ type: is('deleteMany'), filter }),
  record({ type: is('restore'), at, state: at, side: fc.constantFrom('before', 'after') }),
  record({ type: is('create', 'add'), pet }),
  record({ type: is('import'), lines: lines(blank(fc.nat(3)), { name, category }, 2), skipBad }),
  weighted(
    2,
    record({ type: is('update'), lines: lines(at, { name: blank(name), category: blank(category) }), skipBad }),
  ),
  fc.oneof(
    record({ type: is('label'), categoryId, label: fc.constantFrom(...WORDS) }),
    record({ type: is('unlabel'), categoryId }),
  ),
  fc.oneof(
    weighted(2, record({ type: is('createSource', 'changeSource'), source, settings: record(settings) })),
    record({ type: is('removeSource'), source }),
  ),
  record({ type: is('index') }),
)

function is<Type extends Action['type']>(...types: Type[]): fc.Arbitrary<Type> {
  return fc.constantFrom(...types)
}

function weighted<Value>(weight: number, arbitrary: fc.Arbitrary<Value>) {
  return { weight, arbitrary }
}

function record<Value>(model: { [Key in keyof Value]: fc.Arbitrary<Value[Key]> }): fc.Arbitrary<Value> {
  return fc.record<Value>(model, { noNullPrototype: true })
}
