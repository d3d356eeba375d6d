import type { AuditAction } from '../../src/domain/audit.ts'
import { changedMembers, type NewPet } from '../../src/domain/pet.ts'
import type { PetChange } from '../../src/domain/store/animals.ts'
import type { UndoneLabel } from '../../src/domain/undone-label.ts'
import { wordKey } from '../../src/domain/value-meaning.ts'

export interface Entry {
  id: bigint
  at: number
  action: AuditAction
  changes: readonly Change[]
  details: Readonly<Record<string, unknown>>
  label?: LabelChange
  marks: Mark[]
}

/** What an action did to an animal. */
export interface Change {
  petId: bigint
  before: NewPet | undefined
  after: NewPet | undefined
}

/** What an action did to the label of a category. */
export interface LabelChange {
  categoryId: bigint
  before: string | undefined
  after: string | undefined
}

/** An animal of a source. The source knows it also while it is deleted. */
export interface Member {
  petId: bigint
  isMissing: boolean
  lastMark: Mark | undefined
}

/** A file lacked an animal, or had it again. */
export interface Mark {
  member: Member
  isMissing: boolean
}

export interface UndoPreview {
  undone: number
  kept: number
  changedSince: readonly { petId: bigint; entryId: bigint | undefined }[]
  labels: readonly UndoneLabel[]
}

/**
 * What is right after any actions of staff on animals, in plain maps and lists. It knows the promises, and nothing of how they are kept.
 * An action without effect has no entry.
 */
export class Shelter {
  /** Unix milliseconds. */
  now = Date.UTC(2027, 2, 1, 12)
  readonly animals = new Map<bigint, NewPet>()
  readonly labels = new Map<bigint, string>()
  readonly entries: Entry[] = []
  /** Numbers are never given again. */
  highestId = 0n
  highestCategory = 0n

  /** A partner creates it; this leaves no entry. */
  create(pet: NewPet): bigint {
    const id = this.highestId + 1n
    this.#set(id, pet)
    return id
  }

  add(pet: NewPet): bigint {
    return this.change('pet.create', [{ petId: this.highestId + 1n, before: undefined, after: pet }]).id
  }

  correct(action: AuditAction, ids: readonly bigint[], change: PetChange): bigint | undefined {
    return this.#act(
      action,
      ids.map(id => this.changeOf(id, corrected(this.animals.get(id) as NewPet, change))),
    )
  }

  delete(action: AuditAction, ids: readonly bigint[]): bigint | undefined {
    return this.#act(
      action,
      ids.map(id => this.changeOf(id, undefined)),
    )
  }

  /** Gives an animal an earlier state, also after its deletion. */
  restore(id: bigint, pet: NewPet): bigint | undefined {
    return this.#act('pet.restore', [this.changeOf(id, pet)])
  }

  label(categoryId: bigint, label: string | undefined, partOf?: bigint): void {
    const before = this.labels.get(categoryId)
    if (before === label) return
    if (label === undefined) this.labels.delete(categoryId)
    else this.labels.set(categoryId, label)
    this.#use(categoryId)
    const action = label === undefined ? 'category.unlabel' : 'category.label'
    const entry = this.record(action, [], partOf === undefined ? {} : { partOf })
    entry.label = { categoryId, before, after: label }
  }

  previewUndo(entryId: bigint): UndoPreview {
    const entry = this.#entry(entryId)
    const { undone, kept } = this.#split(entry)
    const animals = new Map(this.animals)
    for (const { petId, before } of undone) {
      if (before) animals.set(petId, before)
      else animals.delete(petId)
    }
    const used = new Set([...animals.values()].map(({ categoryId }) => categoryId))
    const labelled = this.entries.flatMap(({ label, details }) => (label && details.partOf === entryId ? [label] : []))
    const changedSince = kept.map(({ petId }) => ({ petId, entryId: this.#lastEntryOf(petId)?.id }))
    return {
      undone: undone.length,
      kept: kept.length,
      changedSince: changedSince.toSorted((one, other) => Number(one.petId - other.petId)),
      labels: labelled
        .map(one => this.#undoneLabel(one, used))
        .toSorted((one, other) => Number(one.categoryId - other.categoryId)),
    }
  }

  /** Takes back all that has not changed since. Undefined if everything has. */
  undo(entryId: bigint): (UndoPreview & { entryId: bigint }) | undefined {
    const preview = this.previewUndo(entryId)
    if (preview.undone === 0) return undefined
    const entry = this.#entry(entryId)
    const { undone, kept } = this.#split(entry)
    const reverse = undone.map(({ petId, before, after }) => ({ petId, before: after, after: before }))
    const own = this.change('pet.undo', reverse, { entryId, count: preview.undone, kept: preview.kept })
    for (const mark of entry.marks) {
      const isKept = kept.some(({ petId }) => petId === mark.member.petId)
      if (!isKept && mark.member.lastMark === mark) this.mark(mark.member, !mark.isMissing, own)
    }
    for (const { categoryId, label, outcome } of preview.labels) {
      if (outcome === 'removed') this.label(categoryId, undefined, own.id)
      if (outcome === 'returned') this.label(categoryId, label, own.id)
    }
    return { ...preview, entryId: own.id }
  }

  /** The categories with a label that files cannot tell from this word. */
  protected labelled(word: string): bigint[] {
    return [...this.labels].filter(([, label]) => wordKey(label) === wordKey(word)).map(([id]) => id)
  }

  protected mark(member: Member, isMissing: boolean, entry: Entry | undefined): void {
    if (member.isMissing === isMissing) return
    member.isMissing = isMissing
    member.lastMark = { member, isMissing }
    entry?.marks.push(member.lastMark)
  }

  protected changeOf(petId: bigint, after: NewPet | undefined): Change {
    return { petId, before: this.animals.get(petId), after }
  }

  protected change(action: AuditAction, changes: readonly Change[], details: Entry['details'] = {}): Entry {
    for (const { petId, after } of changes) this.#set(petId, after)
    return this.record(action, changes, details)
  }

  protected record(action: AuditAction, changes: readonly Change[] = [], details: Entry['details'] = {}): Entry {
    const entry: Entry = { id: BigInt(this.entries.length + 1), at: this.now, action, changes, details, marks: [] }
    this.entries.push(entry)
    return entry
  }

  #act(action: AuditAction, changes: readonly Change[]): bigint | undefined {
    const real = changes.filter(isChange)
    if (real.length === 0) return undefined
    return this.change(action, real, action.endsWith('-many') ? { count: real.length } : {}).id
  }

  #entry(id: bigint): Entry {
    return this.entries[Number(id) - 1] as Entry
  }

  #lastEntryOf(petId: bigint): Entry | undefined {
    return this.entries.findLast(({ changes }) => changes.some(change => change.petId === petId))
  }

  /** The changes that can be undone, and those of animals that have changed since. */
  #split(entry: Entry): { undone: readonly Change[]; kept: readonly Change[] } {
    const { undone = [], kept = [] } = Object.groupBy(entry.changes, ({ petId }) =>
      this.#lastEntryOf(petId) === entry ? 'undone' : 'kept',
    )
    return { undone, kept }
  }

  #undoneLabel(change: LabelChange, used: ReadonlySet<bigint>): UndoneLabel {
    const { categoryId, before, after } = change
    const last = this.entries.findLast(({ label }) => label?.categoryId === categoryId)
    const label = String(after ?? before)
    const isRemoval = after === undefined
    const hasChanged = last?.label !== change || (isRemoval && this.labelled(label).length > 0)
    const outcome = hasChanged ? 'changed' : isRemoval ? 'returned' : used.has(categoryId) ? 'used' : 'removed'
    return { categoryId, label, outcome }
  }

  #set(id: bigint, pet: NewPet | undefined): void {
    if (pet) this.animals.set(id, pet)
    else this.animals.delete(id)
    if (pet) this.#use(pet.categoryId)
    if (id > this.highestId) this.highestId = id
  }

  #use(categoryId: bigint): void {
    if (categoryId > this.highestCategory) this.highestCategory = categoryId
  }
}

export function isChange({ before, after }: Pick<Change, 'before' | 'after'>): boolean {
  return !before || !after || changedMembers(before, after).length > 0
}

export function corrected(pet: NewPet, change: PetChange): NewPet {
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = change
  return { name, categoryId, status }
}
