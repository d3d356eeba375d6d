import type { AuditAction } from '../../src/domain/audit.ts'
import { changedMembers, DEFAULT_PET_STATUS, type NewPet, type PetStatus } from '../../src/domain/pet.ts'
import { allowedRemovals, DEFAULT_SOURCE, type MissingRule } from '../../src/domain/source.ts'
import type { Category, PetChange } from '../../src/domain/store/animals.ts'
import type { UndoneLabel } from '../../src/domain/undone-label.ts'
import { wordKey } from '../../src/domain/value-meaning.ts'

/** One line of a file; blank cells are undefined. */
export interface FileLine<Id> {
  id: Id
  name: string | undefined
  /** A number, or a word. */
  category: string | undefined
  status: PetStatus | undefined
}

export interface SyncOptions {
  source: string
  missing: MissingRule | undefined
  maxRemovals: string | undefined
  skipBad: boolean
}

/** What an action did to an animal. */
export interface Change {
  petId: bigint
  before: NewPet | undefined
  after: NewPet | undefined
}

export interface Entry {
  id: bigint
  at: number
  action: AuditAction
  changes: readonly Change[]
  details: Readonly<Record<string, unknown>>
  label?: LabelChange
  marks: Mark[]
}

interface LabelChange {
  categoryId: bigint
  before: string | undefined
  after: string | undefined
}

/** An animal of a source. The row stays when the animal is deleted. */
interface Member {
  petId: bigint
  isMissing: boolean
  lastMark: Mark | undefined
}

/** A file lacked an animal, or had it again. */
interface Mark {
  member: Member
  isMissing: boolean
}

export interface SourceSettings {
  missing: MissingRule
  maxRemovals: string | undefined
}

export interface ModelSource extends SourceSettings {
  name: string
  members: Map<string, Member>
  runs: Run[]
}

export interface Run extends Pick<Report, 'imported' | 'updated' | 'returned' | 'removed' | 'unchanged' | 'badLines'> {
  at: number
  entryId: bigint | undefined
  isRefused: boolean
}

export interface Report {
  imported: number
  updated: number
  returned: number
  removed: number
  unchanged: number
  badLines: number
  newCategories: readonly Category[]
  entryId: bigint | undefined
  isRefused: boolean
}

export interface UndoPreview {
  undone: number
  kept: number
  changedSince: readonly { petId: bigint; entryId: bigint | undefined }[]
  labels: readonly UndoneLabel[]
}

const NOTHING = {
  imported: 0,
  updated: 0,
  returned: 0,
  removed: 0,
  unchanged: 0,
  newCategories: [],
  entryId: undefined,
}

/** What is right after any actions on animals, in plain maps and lists. It knows the promises, and nothing of how they are kept. */
export class Model {
  /** Unix milliseconds. */
  now = Date.UTC(2027, 2, 1, 12)
  readonly animals = new Map<bigint, NewPet>()
  readonly labels = new Map<bigint, string>()
  readonly sources = new Map<string, ModelSource>()
  readonly entries: Entry[] = []
  #highestId = 0n
  #highestCategory = 0n

  get highestId(): bigint {
    return this.#highestId
  }

  lastEntryOf(petId: bigint): Entry | undefined {
    return this.entries.findLast(({ changes }) => changes.some(change => change.petId === petId))
  }

  /** By a partner: no entry. */
  create(pet: NewPet): bigint {
    const id = this.#highestId + 1n
    this.#set(id, pet)
    return id
  }

  add(pet: NewPet): bigint {
    return this.#change('pet.create', [{ petId: this.#highestId + 1n, before: undefined, after: pet }])
  }

  /** Returns no entry if nothing changes, like all that follow. */
  correct(action: AuditAction, ids: readonly bigint[], change: PetChange): bigint | undefined {
    const changes = ids.map(id => this.#changeOf(id, corrected(this.animals.get(id) as NewPet, change)))
    return this.#act(action, changes.filter(isChange))
  }

  delete(action: AuditAction, ids: readonly bigint[]): bigint | undefined {
    return this.#act(
      action,
      ids.map(id => this.#changeOf(id, undefined)),
    )
  }

  /** Gives an animal an earlier state, also after its deletion. */
  restore(id: bigint, pet: NewPet): bigint | undefined {
    return this.#act('pet.restore', [this.#changeOf(id, pet)].filter(isChange))
  }

  label(categoryId: bigint, label: string): void {
    if (this.labels.get(categoryId) !== label) this.#label(categoryId, label)
  }

  unlabel(categoryId: bigint): void {
    if (this.labels.has(categoryId)) this.#label(categoryId, undefined)
  }

  createSource(name: string, settings: Pick<SyncOptions, 'missing' | 'maxRemovals'>): ModelSource {
    const { missing = DEFAULT_SOURCE.missing, maxRemovals } = settings
    const source = { name, missing, maxRemovals, members: new Map(), runs: [] }
    this.sources.set(name, source)
    this.#record('source.create')
    return source
  }

  changeSource(name: string, settings: SourceSettings): void {
    const source = this.sources.get(name)
    if (source) this.#record('source.change', [], { name })
    Object.assign(source ?? {}, settings)
  }

  removeSource(name: string): void {
    if (this.sources.delete(name)) this.#record('source.remove', [], { name })
  }

  /** All lines or, if bad ones are skipped, the good ones become new animals. */
  importFile(lines: readonly FileLine<bigint | undefined>[], skipBad: boolean): Report {
    const { read, newCategories } = this.#read(lines)
    const ids = new Set<bigint>()
    const good = read.filter(({ id, categoryId }) => {
      if (categoryId === undefined || (id !== undefined && (id <= this.#highestId || ids.has(id)))) return false
      if (id !== undefined) ids.add(id)
      return true
    })
    const badLines = lines.length - good.length
    if (good.length === 0 || (badLines > 0 && !skipBad)) return { ...NOTHING, badLines, isRefused: false }
    let next = [...ids].reduce((highest, id) => (id > highest ? id : highest), this.#highestId)
    const changes = good.map(({ id, ...pet }) => {
      if (id === undefined) next += 1n
      return { petId: id ?? next, before: undefined, after: newPetOf(pet) }
    })
    const details = { count: good.length, firstId: lowest(changes), lastId: next }
    const written = this.#write('pet.import', changes, details, newCategories)
    return { ...NOTHING, ...written, imported: good.length, badLines, isRefused: false }
  }

  /** Each line corrects the animal with its id. */
  updateFile(lines: readonly FileLine<bigint>[], skipBad: boolean): Report {
    const { read, newCategories } = this.#read(lines)
    const ids = new Set<bigint>()
    const good = read.filter(({ id, category, categoryId }) => {
      if ((category !== undefined && categoryId === undefined) || !this.animals.has(id) || ids.has(id)) return false
      return ids.add(id)
    })
    const badLines = lines.length - good.length
    if (badLines > 0 && !skipBad) return { ...NOTHING, badLines, isRefused: false }
    const changes = good
      .map(({ id, name, categoryId, status }) => {
        const before = this.animals.get(id) as NewPet
        return { petId: id, before, after: corrected(before, { name, categoryId, status }) }
      })
      .filter(isChange)
    const updated = changes.length
    const written = this.#write('pet.update', changes, { count: updated }, newCategories)
    return { ...NOTHING, ...written, updated, unchanged: good.length - updated, badLines, isRefused: false }
  }

  /** Makes the animals of a source as in its file. */
  syncFile(lines: readonly FileLine<string>[], options: SyncOptions): Report {
    const { source: name, missing, maxRemovals, skipBad } = options
    const { read, newCategories } = this.#read(lines)
    const readable = read.filter(({ id, categoryId }) => id !== '' && categoryId !== undefined)
    const good = readable.filter(({ id }) => lines.filter(line => line.id === id).length === 1)
    const badLines = lines.length - good.length
    const known = this.sources.get(name)
    if (badLines > 0 && !skipBad) {
      // Ids that are there twice are looked for once all lines can be read.
      const found = lines.length - readable.length || badLines
      return this.#note(known, { ...NOTHING, badLines: found, isRefused: true })
    }
    const source = known ?? this.createSource(name, { missing, maxRemovals })

    const rule = missing ?? source.missing
    const present = new Set(lines.map(({ id }) => id))
    // A line without an id may be that of any animal.
    const gone =
      rule === 'keep' || present.has('')
        ? []
        : this.#living(source)
            .filter(([id]) => !present.has(id))
            .map(([, member]) => member)
    const removals = gone
      .map(({ petId }) =>
        this.#changeOf(
          petId,
          rule === 'delete' ? undefined : { ...(this.animals.get(petId) as NewPet), status: 'sold' },
        ),
      )
      .filter(isChange)
    const removable = this.#living(source).filter(
      ([, { petId }]) => rule === 'delete' || this.animals.get(petId)?.status !== 'sold',
    )
    const allowed = allowedRemovals(maxRemovals ?? source.maxRemovals, removable.length)
    if (removals.length > allowed) return this.#note(source, { ...NOTHING, badLines, isRefused: true })

    const added: [string, Change][] = []
    const [corrections, returns]: [Change[], Change[]] = [[], []]
    const back: Member[] = []
    for (const { id, ...line } of good) {
      const member = source.members.get(id)
      const before = member && this.animals.get(member.petId)
      const after = newPetOf({
        ...line,
        status: line.status ?? (member?.isMissing ? DEFAULT_PET_STATUS : before?.status),
      })
      if (!member) added.push([id, { petId: this.#highestId + BigInt(added.length + 1), before, after }])
      else if (isChange({ before, after }))
        (member.isMissing || !before ? returns : corrections).push({ petId: member.petId, before, after })
      if (member) back.push(member)
    }
    const numbers = {
      added: added.length,
      corrected: corrections.length,
      returned: returns.length,
      removed: removals.length,
    }
    const changes = [...added.map(([, change]) => change), ...corrections, ...returns, ...removals]
    const written = this.#write('pet.sync', changes, { source: name, ...numbers }, newCategories)
    for (const [id, { petId }] of added) source.members.set(id, { petId, isMissing: false, lastMark: undefined })
    const own = this.entries.find(({ id }) => id === written.entryId)
    for (const member of gone) this.#mark(member, true, own)
    for (const member of back) this.#mark(member, false, own)
    const unchanged = good.length - added.length - corrections.length - returns.length
    const { added: imported, corrected: updated, returned, removed } = numbers
    return this.#note(source, {
      ...written,
      imported,
      updated,
      returned,
      removed,
      unchanged,
      badLines,
      isRefused: false,
    })
  }

  previewUndo(entryId: bigint): UndoPreview {
    const entry = this.#entry(entryId)
    const undone = this.#undone(entry)
    const kept = entry.changes.filter(change => !undone.includes(change))
    const changedSince = kept.map(({ petId }) => ({ petId, entryId: this.lastEntryOf(petId)?.id }))
    const animals = new Map(this.animals)
    for (const { petId, before } of undone) {
      if (before) animals.set(petId, before)
      else animals.delete(petId)
    }
    const used = new Set([...animals.values()].map(({ categoryId }) => categoryId))
    const labels = this.#labelsOf(entry).map(one => this.#undoneLabel(one, used))
    return {
      undone: undone.length,
      kept: kept.length,
      changedSince: changedSince.toSorted((one, other) => Number(one.petId - other.petId)),
      labels: labels.toSorted((one, other) => Number(one.categoryId - other.categoryId)),
    }
  }

  /** Undefined if all its animals have changed since. */
  undo(entryId: bigint): (UndoPreview & { entryId: bigint }) | undefined {
    const preview = this.previewUndo(entryId)
    if (preview.undone === 0) return undefined
    const entry = this.#entry(entryId)
    const undone = this.#undone(entry)
    const kept = entry.changes.filter(change => !undone.includes(change)).map(({ petId }) => petId)
    const reverse = undone.map(({ petId, before, after }) => ({ petId, before: after, after: before }))
    const ownId = this.#change('pet.undo', reverse, { entryId, count: preview.undone, kept: preview.kept })
    for (const mark of entry.marks) {
      const { member, isMissing } = mark
      if (member.lastMark === mark && !kept.includes(member.petId)) this.#mark(member, !isMissing, this.#entry(ownId))
    }
    for (const { categoryId, label, outcome } of preview.labels) {
      if (outcome === 'removed') this.#label(categoryId, undefined, ownId)
      if (outcome === 'returned') this.#label(categoryId, label, ownId)
    }
    return { ...preview, entryId: ownId }
  }

  #entry(id: bigint): Entry {
    return this.entries[Number(id) - 1] as Entry
  }

  #undone(entry: Entry): Change[] {
    return entry.changes.filter(({ petId }) => this.lastEntryOf(petId) === entry)
  }

  #labelsOf(entry: Entry): LabelChange[] {
    return this.entries.flatMap(({ label, details }) => (label && details.partOf === entry.id ? [label] : []))
  }

  #undoneLabel(change: LabelChange, used: ReadonlySet<bigint>): UndoneLabel {
    const { categoryId, before, after } = change
    const last = this.entries.findLast(({ label }) => label?.categoryId === categoryId)
    const label = String(after ?? before)
    const isTaken = after === undefined && this.#labelled(label).length > 0
    const outcome =
      last?.label !== change || isTaken
        ? 'changed'
        : after === undefined
          ? 'returned'
          : used.has(categoryId)
            ? 'used'
            : 'removed'
    return { categoryId, label, outcome }
  }

  #living(source: ModelSource): [string, Member][] {
    return [...source.members].filter(([, { petId }]) => this.animals.has(petId))
  }

  #labelled(word: string): bigint[] {
    return [...this.labels].filter(([, label]) => wordKey(label) === wordKey(word)).map(([id]) => id)
  }

  /** What the words of a file mean. Unknown ones become new categories; ones that are the label of several categories mean none. */
  #read<Line extends FileLine<unknown>>(lines: readonly Line[]) {
    const newCategories: Category[] = []
    let highest = this.#highestCategory
    const meaningOf = (word: string): bigint | undefined => {
      const number = /^\d+$/.test(word) ? BigInt(word) : undefined
      if (number !== undefined) {
        if (number > highest) highest = number
        return newCategories.some(({ id }) => id === number) ? undefined : number
      }
      const known = this.#labelled(word)
      if (known.length > 0) return known.length === 1 ? known[0] : undefined
      const created = newCategories.find(({ label }) => wordKey(label) === wordKey(word))
      if (created) return created.id
      highest += 1n
      newCategories.push({ id: highest, label: word })
      return highest
    }
    const read = lines.map(line => ({
      ...line,
      categoryId: line.category === undefined ? undefined : meaningOf(line.category),
    }))
    return { read, newCategories }
  }

  /** Writes an entry if there are changes, with the labels of the new categories that animals get into. */
  #write(
    action: AuditAction,
    changes: readonly Change[],
    details: Entry['details'],
    newCategories: readonly Category[],
  ) {
    if (changes.length === 0) return NOTHING
    const entryId = this.#change(action, changes, details)
    const labelled = newCategories.filter(({ id }) => changes.some(({ after }) => after?.categoryId === id))
    for (const { id, label } of labelled) this.#label(id, label, entryId)
    return { ...NOTHING, newCategories: labelled, entryId }
  }

  #note(source: ModelSource | undefined, report: Report): Report {
    const { newCategories: _, ...run } = report
    source?.runs.unshift({ ...run, at: this.now })
    return report
  }

  #mark(member: Member, isMissing: boolean, entry: Entry | undefined): void {
    if (member.isMissing === isMissing) return
    const mark = { member, isMissing }
    Object.assign(member, { isMissing, lastMark: mark })
    entry?.marks.push(mark)
  }

  #label(categoryId: bigint, label: string | undefined, partOf?: bigint): void {
    const change = { categoryId, before: this.labels.get(categoryId), after: label }
    if (label === undefined) this.labels.delete(categoryId)
    else this.labels.set(categoryId, label)
    this.#use(categoryId)
    const details = partOf === undefined ? {} : { partOf }
    Object.assign(this.#record(label === undefined ? 'category.unlabel' : 'category.label', [], details), {
      label: change,
    })
  }

  #changeOf(petId: bigint, after: NewPet | undefined): Change {
    return { petId, before: this.animals.get(petId), after }
  }

  #act(action: AuditAction, changes: readonly Change[]): bigint | undefined {
    if (changes.length === 0) return undefined
    return this.#change(action, changes, action.endsWith('-many') ? { count: changes.length } : {})
  }

  #change(action: AuditAction, changes: readonly Change[], details: Entry['details'] = {}): bigint {
    for (const { petId, after } of changes) this.#set(petId, after)
    return this.#record(action, changes, details).id
  }

  #set(id: bigint, pet: NewPet | undefined): void {
    if (pet) {
      this.animals.set(id, pet)
      this.#use(pet.categoryId)
    } else this.animals.delete(id)
    if (id > this.#highestId) this.#highestId = id
  }

  #use(categoryId: bigint): void {
    if (categoryId > this.#highestCategory) this.#highestCategory = categoryId
  }

  #record(action: AuditAction, changes: readonly Change[] = [], details: Entry['details'] = {}): Entry {
    const entry = { id: BigInt(this.entries.length + 1), at: this.now, action, changes, details, marks: [] }
    this.entries.push(entry)
    return entry
  }
}

function isChange({ before, after }: Pick<Change, 'before' | 'after'>): boolean {
  return !before || !after || changedMembers(before, after).length > 0
}

function corrected(
  pet: NewPet,
  { name = pet.name, categoryId = pet.categoryId, status = pet.status }: PetChange,
): NewPet {
  return { name, categoryId, status }
}

function newPetOf(line: {
  name: string | undefined
  categoryId: bigint | undefined
  status: PetStatus | undefined
}): NewPet {
  return { name: line.name as string, categoryId: line.categoryId as bigint, status: line.status ?? DEFAULT_PET_STATUS }
}

function lowest(changes: readonly Change[]): bigint {
  return changes.map(({ petId }) => petId).reduce((least, id) => (id < least ? id : least))
}
