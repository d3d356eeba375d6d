import type { NewAuditEntry } from './audit.ts'
import type { BadLine } from './bad-lines.ts'
import type { NewPet, Pet } from './pet.ts'
import type { FileEffect, ImportReport, SyncTerms } from './pet-files.ts'
import type { PetFilter } from './pet-selection.ts'
import type { SourceReading, SyncCounts } from './source.ts'
import type { Category } from './store/animals.ts'
import type { PetOrigin } from './store/sources.ts'

/** The highest id that an imported animal may have. As many ids remain for new animals. */
export const MAX_IMPORTED_ID = 2n ** 62n

export interface PetLine extends NewPet {
  /** Its line number, starting at 1. */
  line: number
  /** 1 to MAX_IMPORTED_ID; an animal without an id gets the next one. */
  id: bigint | undefined
}

/** A line of a file that corrects an animal. */
export interface PetChangeLine {
  line: number
  id: bigint
  /** Undefined members do not change. */
  change: { [Member in keyof NewPet]?: NewPet[Member] | undefined }
  /** Why the line is refused, unless the animal already has this name. */
  doubt?: BadLine
}

/** A line of the file of a source. */
export interface SyncLine {
  line: number
  /** The id of the animal in the other software: 1 to 255 characters. */
  externalId: string
  /** Name and category are there. Without a status, an animal keeps the one it has; a new one is available. */
  change: PetChangeLine['change']
}

/**
 * Port: imports and exports any number of animals in constant memory, while a service runs on the same store.
 * pet-transfer.contract.ts tests these promises. Every method throws `StoreUnavailable` while the store cannot be used.
 */
export interface PetTransfer {
  /** An import is invisible and blocks no other write until it is committed. */
  beginImport(): Promise<PetImport>
  /** Corrects many animals. An update is invisible and blocks no other write until it is committed. */
  beginUpdate(): Promise<PetUpdate>
  /** Makes the animals of a source as in its file. A sync is invisible and blocks no other write until it is committed. */
  beginSync(terms: SyncTerms): Promise<PetSync>
  /** Exports the selected animals as of now, if wanted with their origins: later writes do not change the export. */
  beginExport(filter?: PetFilter, withOrigins?: boolean): Promise<PetExport>
}

/** The categories that the lines of a file may name. */
export interface KnownCategories {
  labels: readonly Category[]
  /** The highest number below MAX_NEW_CATEGORY that has a label or animals; 0 if there is none. */
  highest: bigint
}

/** Every program can hold the numbers up to this one, also those that know no int64. */
export const MAX_NEW_CATEGORY = 2n ** 53n - 1n

/** Lines that are about to be imported. Ends with `commit` or `discard`. */
export interface Staged<Line> {
  /** @param withHighest if false, `highest` is 0 */
  readCategories(withHighest: boolean): Promise<KnownCategories>
  /**
   * Adds lines, in the order of the file. Returns the ones that are left out.
   * @param bad lines that are left out already: their animals are not missing
   */
  stage(lines: readonly Line[], bad?: readonly BadLine[]): Promise<BadLine[]>
  /** What a commit would do right now. Blocks no other write. */
  preview(options: CommitOptions): Promise<Outcome>
  /**
   * Carries all of it out in one step, and writes the audit entry in the same step. Writes nothing if there is nothing to do, or if the
   * entry's permit has ended, or its request has been carried out before.
   * @throws ActionRefused
   */
  commit(entry: NewAuditEntry, options: CommitOptions): Promise<Outcome>
  discard(): Promise<void>
  /** Notes that the file was refused because of its bad lines. */
  noteRefusal?(entry: NewAuditEntry, options: CommitOptions): Promise<void>
}

/**
 * Creates animals: those with an id keep it, the others get the next ones, in the order of their lines. Leaves out lines whose id was given before
 * or is already in an earlier line. Adds `count`, `firstId` and `lastId` to the details of the entry.
 */
export type PetImport = Staged<PetLine>

/**
 * Corrects animals, unless they already have the new values, and writes the change of each. Leaves out lines if no animal has their id, or it is
 * already in an earlier line, or if their name is in doubt, or that of the animal at this moment, damaged on its way through a spreadsheet. Adds
 * `count` to the details.
 */
export type PetUpdate = Staged<PetChangeLine>

/**
 * Makes the animals of a source as in its file: adds new ones, corrects others, and does what the rule says with missing ones. Of lines with the same
 * id, all are left out. Does not write animals that are as in the file. Adds the numbers to the details of the entry.
 */
export interface PetSync extends Staged<SyncLine> {
  /** The settings of the source, or the column that was given. */
  findReading(): Promise<SourceReading>
}

export interface Outcome extends FileEffect {
  /** The number of lines that have become impossible since they were staged. */
  refused: number
  /** The first MAX_BAD_LINES_KEPT of them, by line. */
  refusedLines: BadLine[]
}

export const NOTHING_DONE: Outcome = {
  imported: 0,
  firstId: undefined,
  lastId: undefined,
  entryId: undefined,
  updated: 0,
  unchanged: 0,
  returned: 0,
  removed: 0,
  refusal: undefined,
  newCategories: [],
  refused: 0,
  refusedLines: [],
}

/** What a source keeps of a report. */
export type RunReport = Pick<ImportReport, 'read' | 'badLines' | 'reasons' | 'refusal'>

/** What a sync did, in the words for it. */
export function syncCounts(effect: FileEffect, { read, badLines }: Pick<RunReport, 'read' | 'badLines'>): SyncCounts {
  const { imported: added, updated: corrected, returned, removed, unchanged } = effect
  return { read, added, corrected, returned, removed, unchanged, leftOut: badLines }
}

export interface CommitOptions {
  /** Skip lines that have become impossible since they were staged. By default, a single one aborts the commit. */
  skipRefused: boolean
  /** If the entry's request may be repeated: what a repeated request gets, made from the outcome. It is remembered in the same step. */
  reportOf?: (outcome: Outcome) => RunReport
  /**
   * Categories to label in the same step if animals get into them, each with an audit entry of its own.
   * @throws UserError if one has got a label since `readCategories`
   */
  newCategories?: readonly Category[]
}

export interface ExportedPet extends Pet {
  /** Of an animal that a source has added, if it was asked for. */
  origin?: PetOrigin | undefined
}

/** Animals in ascending order of id, in batches. Must be closed, even after the last batch. */
export interface PetExport {
  count: number
  /** Of all categories that have one. */
  labels: ReadonlyMap<bigint, string>
  batches: AsyncIterable<readonly ExportedPet[]>
  close(): Promise<void>
}

export function idGivenBefore(id: bigint, highest: bigint): string {
  return `id ${id} may have been given before, and ids are never reused. To change that animal, import the file as corrections; a new animal needs an id above ${highest}, or none.`
}

export function noSuchAnimal(id: bigint): string {
  return `there is no animal with id ${id}.`
}

export function idTwice(id: bigint, earlierLine: number): string {
  return `id ${id} is already in line ${earlierLine}; each animal needs its own id.`
}
