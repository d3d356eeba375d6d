import type { Query } from '../../api/call.ts'
import type { BadLine, CsvPreview, ImportReport, PetStatus } from '../../api/schema.ts'
import { watchUnsaved } from '../../lib/leaving.ts'
import { createStore } from '../../lib/store.ts'
import { MEMBER_NAMES } from '../../parts/words/members.ts'
import { linesOf, type Meanings } from '../../parts/words/words.ts'

export type Member = keyof typeof MEMBER_NAMES
export const MEMBERS = Object.keys(MEMBER_NAMES) as Member[]
/** All but NDJSON are tables. */
export type FileKind = 'csv' | 'xlsx' | 'ndjson'

export const DEFAULT_CHOICES = {
  mode: 'add' as 'add' | 'update',
  skipBad: false,
  /** Empty: detected by the service, or the first one. */
  delimiter: '',
  sheet: '',
  encoding: '',
  /** The columns of members where they differ from the suggested ones; empty: not in the file. */
  columns: {} as Partial<Record<Member, string>>,
  meanings: {} as Meanings,
  newCategories: false,
  defaultName: '',
  defaultCategoryId: '',
  defaultStatus: '' as '' | PetStatus,
  safeForSpreadsheets: false,
}

export type Choices = typeof DEFAULT_CHOICES

export interface Run {
  requestId: string
  isDryRun: boolean
  sentBytes: number
  /** Whether the connection was lost, and the console is asking the service for the outcome of the import. */
  isLost?: boolean
  stop(): void
}

export interface Outcome {
  /** Everything of a report except its bad lines. */
  totals: Omit<ImportReport, 'bad' | 'badLinesOmitted'>
  /** The first 1,000 bad lines at most. */
  bad: readonly BadLine[]
}

/** A file to be imported, and the choices made for it. */
export interface Draft {
  id: string
  file: File
  kind: FileKind
  choices: Choices
  /** The names of the columns when the file was last checked. */
  header?: readonly string[]
  /** The query of the last run, to repeat it. */
  query: Query
  run?: Run | undefined
  /** The import whose outcome is unknown. Importing again with the same query repeats it, so that nothing is added twice. */
  undecided?: { query: Query; idempotencyKey: string } | undefined
  outcome?: Outcome | undefined
  failure?: Error | undefined
}

/**
 * The draft of the operator. It outlives the end of a session; for another operator, the page is reloaded. It is not in the query cache, which
 * reports changes too late for text inputs.
 */
const store = createStore<Draft | undefined>(undefined)

export const useDraft = store.use
export const setDraft = store.set

/** May be called later by an upload; a newer draft is left unchanged. */
export function changeDraft(id: string, change: Partial<Draft>): void {
  const draft = store.get()
  if (draft?.id === id) setDraft({ ...draft, ...change })
}

const READING = ['delimiter', 'encoding', 'sheet'] as const

export function choose({ id, choices }: Draft, change: Partial<Choices>): void {
  // Read in another way, the columns may have other names.
  const columns = READING.some(name => name in change) ? {} : choices.columns
  changeDraft(id, { choices: { ...choices, columns, ...change }, failure: undefined })
}

// Choosing a file again is quick, but the choices for it would be lost with the tab.
watchUnsaved({ isThere: isUnfinished, isKept: true })

function isUnfinished(): boolean {
  const draft = store.get()
  return draft !== undefined && draft.outcome?.totals.outcome !== 'imported'
}

export function columnOf(member: Member, { columns }: Choices, preview: CsvPreview): string {
  return columns[member] ?? preview.columns[member] ?? ''
}

/** The choices about the words of a file, as query parameters for the service. */
export function wordsQuery({ meanings, newCategories }: Choices): Query {
  return { meanings: linesOf(meanings) || undefined, newCategories: newCategories || undefined }
}

/** The choices, as query parameters for the service: unless they need work, they have the names of these. */
export function queryOf({ file, choices }: Draft, preview: CsvPreview | undefined): Query {
  const { mode, skipBad, columns, meanings, newCategories, defaultName, defaultCategoryId, defaultStatus, ...others } =
    choices
  const query: Query = { mode, skipBad: skipBad || undefined, file: file.name }
  if (!preview) return query
  // A default would overwrite the values that an update leaves empty.
  const defaults = mode === 'add' ? { defaultName, defaultCategoryId, defaultStatus } : {}
  return {
    ...query,
    ...Object.fromEntries(MEMBERS.map(member => [`${member}Column`, columnOf(member, choices, preview) || undefined])),
    ignoreOtherColumns: true,
    ...wordsQuery(choices),
    ...chosenOf({ ...others, ...defaults }),
    delimiter: preview.delimiter ?? undefined,
  }
}

/** Without those that are left to the service. */
function chosenOf(choices: Readonly<Record<string, string | boolean>>): Query {
  const given = Object.entries(choices).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value])
  return Object.fromEntries(given.map(([name, value]) => [name, value || undefined]))
}
