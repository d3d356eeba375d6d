import type { AuditAction } from '../../src/domain/audit.ts'
import { DEFAULT_PET_STATUS, type NewPet, type PetStatus } from '../../src/domain/pet.ts'
import { allowedRemovals, DEFAULT_SOURCE, type MissingRule } from '../../src/domain/source.ts'
import type { Category } from '../../src/domain/store/animals.ts'
import { wordKey } from '../../src/domain/value-meaning.ts'
import { type Change, corrected, type Entry, isChange, type Member, Shelter } from './shelter.ts'

/** One line of a file; blank cells are undefined. */
export interface FileLine<Id> {
  id: Id
  name: string | undefined
  /** A number of a category that is not new, or a word. */
  category: string | undefined
  status: PetStatus | undefined
}

export interface SourceSettings {
  missing: MissingRule
  maxRemovals: string | undefined
}

export interface SyncOptions {
  source: string
  missing: MissingRule | undefined
  maxRemovals: string | undefined
  skipBad: boolean
}

export interface ModelSource extends SourceSettings {
  name: string
  members: Map<string, Member>
  runs: Run[]
}

export type Run = Omit<Report, 'newCategories'> & { at: number }

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

const NOTHING: Report = {
  ...{ imported: 0, updated: 0, returned: 0, removed: 0, unchanged: 0, badLines: 0 },
  ...{ newCategories: [], entryId: undefined, isRefused: false },
}

/** What is right after any files, too. */
export class Model extends Shelter {
  readonly sources = new Map<string, ModelSource>()

  createSource(name: string, settings: Pick<SyncOptions, 'missing' | 'maxRemovals'>): ModelSource {
    const { missing = DEFAULT_SOURCE.missing, maxRemovals } = settings
    const source = { name, missing, maxRemovals, members: new Map(), runs: [] }
    this.sources.set(name, source)
    this.record('source.create')
    return source
  }

  changeSource(name: string, settings: SourceSettings): void {
    const source = this.sources.get(name)
    if (!source || (source.missing === settings.missing && source.maxRemovals === settings.maxRemovals)) return
    Object.assign(source, settings)
    this.record('source.change', [], { name })
  }

  /** Its animals stay. */
  removeSource(name: string): void {
    if (this.sources.delete(name)) this.record('source.remove', [], { name })
  }

  /** Each good line is a new animal. */
  importFile(lines: readonly FileLine<bigint | undefined>[], skipBad: boolean): Report {
    const { read, newCategories } = this.#read(lines)
    const ids = new Set<bigint>()
    const good = read.filter(({ id, categoryId }) => {
      if (categoryId === undefined) return false
      if (id === undefined) return true
      if (id <= this.highestId || ids.has(id)) return false
      return ids.add(id)
    })
    const badLines = lines.length - good.length
    if (good.length === 0 || (badLines > 0 && !skipBad)) return { ...NOTHING, badLines }
    let lastId = [...ids, this.highestId].reduce((highest, id) => (id > highest ? id : highest))
    const changes = good.map(({ id, ...pet }) => {
      if (id === undefined) lastId += 1n
      return { petId: id ?? lastId, before: undefined, after: newPetOf(pet) }
    })
    const firstId = changes.map(({ petId }) => petId).reduce((lowest, id) => (id < lowest ? id : lowest))
    const written = this.#write('pet.import', changes, { count: good.length, firstId, lastId }, newCategories)
    return { ...NOTHING, ...written, imported: good.length, badLines }
  }

  /** Each good line corrects the animal with its id. */
  updateFile(lines: readonly FileLine<bigint>[], skipBad: boolean): Report {
    const { read, newCategories } = this.#read(lines)
    const ids = new Set<bigint>()
    const good = read.filter(({ id, category, categoryId }) => {
      if (category !== undefined && categoryId === undefined) return false
      return this.animals.has(id) && !ids.has(id) && ids.add(id)
    })
    const badLines = lines.length - good.length
    if (badLines > 0 && !skipBad) return { ...NOTHING, badLines }
    const changes = good
      .map(({ id, name, categoryId, status }) =>
        this.changeOf(id, corrected(this.animals.get(id) as NewPet, { name, categoryId, status })),
      )
      .filter(isChange)
    const updated = changes.length
    const written = this.#write('pet.update', changes, { count: updated }, newCategories)
    return { ...NOTHING, ...written, updated, unchanged: good.length - updated, badLines }
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
    const gone = rule === 'keep' ? [] : this.#missingFrom(lines, source)
    const removals = gone.map(({ petId }) => this.#removalOf(petId, rule)).filter(isChange)
    const removable = this.#living(source).filter(([, { petId }]) => isChange(this.#removalOf(petId, rule)))
    const allowed = allowedRemovals(maxRemovals ?? source.maxRemovals, removable.length)
    if (removals.length > allowed) return this.#note(source, { ...NOTHING, badLines, isRefused: true })

    const inFile = good.map(line => ({ line, member: source.members.get(line.id) }))
    const added = inFile
      .filter(({ member }) => !member)
      .map(({ line }, place) => ({
        id: line.id,
        change: { petId: this.highestId + BigInt(place + 1), before: undefined, after: newPetOf(line) },
      }))
    const { returned = [], corrected = [] } = Object.groupBy(
      inFile.flatMap(({ line, member }) => {
        if (!member) return []
        const before = this.animals.get(member.petId)
        const status = line.status ?? (member.isMissing ? undefined : before?.status)
        const change = { petId: member.petId, before, after: newPetOf({ ...line, status }) }
        return isChange(change) ? [{ change, wasAway: member.isMissing || !before }] : []
      }),
      ({ wasAway }) => (wasAway ? 'returned' : 'corrected'),
    )
    const changes = [...[...added, ...corrected, ...returned].map(({ change }) => change), ...removals]
    const counts = { added: added.length, corrected: corrected.length, returned: returned.length }
    const removed = removals.length
    const written = this.#write('pet.sync', changes, { source: name, ...counts, removed }, newCategories)
    for (const { id, change } of added) {
      source.members.set(id, { petId: change.petId, isMissing: false, lastMark: undefined })
    }
    const own = this.entries.find(({ id }) => id === written.entryId)
    for (const member of gone) this.mark(member, true, own)
    for (const { member } of inFile) if (member) this.mark(member, false, own)
    return this.#note(source, {
      ...{ ...NOTHING, ...written, badLines, removed },
      ...{ imported: counts.added, updated: counts.corrected, returned: counts.returned },
      unchanged: good.length - counts.added - counts.corrected - counts.returned,
    })
  }

  #living({ members }: ModelSource): [string, Member][] {
    return [...members].filter(([, { petId }]) => this.animals.has(petId))
  }

  /** None, if there is a line without an id: it may be that of any animal. */
  #missingFrom(lines: readonly FileLine<string>[], source: ModelSource): Member[] {
    const present = new Set(lines.map(({ id }) => id))
    if (present.has('')) return []
    return this.#living(source).flatMap(([id, member]) => (present.has(id) ? [] : [member]))
  }

  #removalOf(petId: bigint, rule: MissingRule): Change {
    const before = this.animals.get(petId) as NewPet
    return { petId, before, after: rule === 'delete' ? undefined : { ...before, status: 'sold' } }
  }

  /** Unknown words become new categories; a word that is the label of several categories means none. */
  #read<Line extends FileLine<unknown>>(lines: readonly Line[]) {
    const newCategories: Category[] = []
    const meaningOf = (word: string): bigint | undefined => {
      if (/^\d+$/.test(word)) return BigInt(word)
      const known = this.labelled(word)
      if (known.length > 0) return known.length === 1 ? known[0] : undefined
      const created = newCategories.find(({ label }) => wordKey(label) === wordKey(word))
      if (created) return created.id
      const id = this.highestCategory + BigInt(newCategories.length + 1)
      newCategories.push({ id, label: word })
      return id
    }
    const read = lines.map(line => ({
      ...line,
      categoryId: line.category === undefined ? undefined : meaningOf(line.category),
    }))
    return { read, newCategories }
  }

  /** Labels the new categories that animals get into. */
  #write(action: AuditAction, changes: readonly Change[], details: Entry['details'], created: readonly Category[]) {
    if (changes.length === 0) return { newCategories: [], entryId: undefined }
    const { id: entryId } = this.change(action, changes, details)
    const newCategories = created.filter(({ id }) => changes.some(({ after }) => after?.categoryId === id))
    for (const { id, label } of newCategories) this.label(id, label, entryId)
    return { newCategories, entryId }
  }

  #note(source: ModelSource | undefined, report: Report): Report {
    const { newCategories: _, ...run } = report
    source?.runs.unshift({ ...run, at: this.now })
    return report
  }
}

/** A line that is known to have a name and a category. */
function newPetOf(line: { [Name in keyof NewPet]: NewPet[Name] | undefined }): NewPet {
  const { name, categoryId, status = DEFAULT_PET_STATUS } = line
  return { name: name as string, categoryId: categoryId as bigint, status }
}
