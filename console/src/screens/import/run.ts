import { ApiError, fetchValue, formatJson, isUndecided, parseJson, type Query, Unreachable } from '../../api/call.ts'
import type { AuditEntry, Health, ImportReport } from '../../api/schema.ts'
import { upload } from '../../api/upload.ts'
import { beginningOf, findRunning, readNewestImport } from '../../data/imports.ts'
import { isSignedOut } from '../../data/session.ts'
import { randomUuid } from '../../data/write.ts'
import { changeDraft, type Draft, type Outcome, type Run } from './draft.ts'

export const TYPES = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ndjson: 'application/x-ndjson',
}
const LOOKS = 3
const LOOK_MS = 1_000

const NOTHING_CHANGED = 'Nothing was changed. The file and your choices are still here: try again.'

/** Uploads the file of a draft, to check or import it. The draft records the progress and the result. */
export async function carryOut(draft: Draft, query: Query, isDryRun: boolean): Promise<void> {
  const controller = new AbortController()
  const requestId = newRequestId()
  const { file, kind, choices } = draft
  const run: Run = { requestId, isDryRun, sentBytes: 0, stop: () => controller.abort(new Stopped()) }
  const undecided = isDryRun ? undefined : importOf(draft, query)
  changeDraft(draft.id, { run, query, undecided, failure: undefined })
  const end = (change: Partial<Draft>) => changeDraft(draft.id, { run: undefined, ...change })
  let before: AuditEntry | undefined
  let isUploading = false
  try {
    await beginningOf(file, 1)
    if (!isDryRun) before = await readNewestImport(choices.mode, controller.signal)
    isUploading = true
    const answer = await upload('/pets/import', file, TYPES[kind], {
      query: { ...query, dryRun: isDryRun || undefined },
      requestId,
      idempotencyKey: undecided?.idempotencyKey,
      signal: controller.signal,
      onProgress: sentBytes => changeDraft(draft.id, { run: { ...run, sentBytes } }),
    })
    end({ outcome: await read(answer), undecided: undefined })
  } catch (error) {
    if (!isUndecided(error)) changeDraft(draft.id, { undecided: undefined })
    // Browsers report upload progress late: a small file may already have arrived.
    const isUnsure = !isDryRun && isUploading && !(error instanceof ApiError)
    if (isUnsure) return end(await findOut({ draft, run, before }))
    if (error instanceof Stopped || isSignedOut(error)) return end({})
    end({ failure: await explain(error, file) })
  }
}

/** The same one again, or a new one. */
function importOf({ undecided }: Draft, query: Query): Draft['undecided'] {
  if (undecided && formatJson(undecided.query) === formatJson(query)) return undecided
  return { query, idempotencyKey: randomUuid() }
}

class Stopped extends Error {}

async function read(answer: Blob): Promise<Outcome> {
  const { bad, badLinesOmitted: _, ...totals } = parseJson(await answer.text()) as ImportReport
  return { totals, bad }
}

interface LostRun {
  draft: Draft
  run: Run
  /** The newest import of the audit log before this one. */
  before: AuditEntry | undefined
}

/** The response was lost. Polls the service for the outcome of the import, because importing again would add the animals twice. */
async function findOut(lost: LostRun): Promise<Partial<Draft>> {
  const { draft, run } = lost
  const controller = new AbortController()
  changeDraft(draft.id, { run: { ...run, isLost: true, stop: () => controller.abort(new Stopped()) } })
  for (;;) {
    try {
      return await lookUp(lost, controller.signal)
    } catch (error) {
      if (!(error instanceof Unreachable)) return { failure: new Error(UNKNOWN) }
      await pause()
    }
  }
}

/** Once the service has stopped working on it, the audit log shows whether it was carried out. */
async function lookUp({ draft, run, before }: LostRun, signal: AbortSignal): Promise<Partial<Draft>> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if (await findRunning(run.requestId, signal)) looks = 0
    const entry = await readNewestImport(draft.choices.mode, signal)
    if (entry && entry.id !== before?.id && entry.details.file === draft.file.name) return outcomeOf(draft, entry)
    await pause()
  }
  // An instance only lists its own imports: another one may still be working on this one.
  const { instances } = await fetchValue<Health>('GET', '/health', { signal })
  if (instances > 1) return { failure: new Error(UNKNOWN) }
  return { failure: await explain(new Unreachable(undefined), draft.file) }
}

const UNKNOWN =
  'It is not known whether the import was carried out. Check the newest animals or the audit log before you try again.'

function pause(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, LOOK_MS))
}

function outcomeOf({ choices: { mode } }: Draft, { id, details }: AuditEntry): Partial<Draft> {
  const count = Number(details.count)
  const idOf = (id: unknown) => (id === undefined || id === null ? null : BigInt(String(id)))
  const totals = {
    ...{ outcome: 'imported' as const, entryId: id, mode, read: count, unchanged: 0, badLines: 0 },
    ...{ reasons: [], unknownValues: [], newCategories: [] },
    ...{ imported: mode === 'add' ? count : 0, updated: mode === 'update' ? count : 0 },
    ...{ firstId: idOf(details.firstId), lastId: idOf(details.lastId) },
  }
  return { outcome: { totals, bad: [] } }
}

/** The browser reports a lost connection in the same way as a file that was changed after it was chosen. */
async function explain(error: unknown, file: File): Promise<Error> {
  if (!(error instanceof Unreachable)) return error as Error
  try {
    await beginningOf(file, 1)
    return new Error(`The file did not arrive. ${NOTHING_CHANGED}`)
  } catch (changed) {
    return changed as Error
  }
}

export function newRequestId(): string {
  return `console-${randomUuid()}`
}
