import type { NewAuditEntry } from './audit.ts'
import type { BadLine } from './bad-lines.ts'
import type { NewPet, Pet } from './pet.ts'
import type { PetFilter } from './pet-selection.ts'

/** The highest id that an imported animal may have. As many ids remain for new animals. */
export const MAX_IMPORTED_ID = 2n ** 62n

/** An animal in a file. */
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
  /** Exports the selected animals as of now: later writes do not change the export. */
  beginExport(filter?: PetFilter): Promise<PetExport>
}

/** Ends with `commit` or `discard`. */
export interface PetImport {
  /**
   * Adds animals to the import, in the order of the file.
   * @returns the lines left out because their id was given before or is already in an earlier line
   */
  stage(pets: readonly PetLine[]): Promise<BadLine[]>
  /** What a commit would do right now. Blocks no other write. */
  preview(options: CommitOptions<ImportOutcome>): Promise<ImportOutcome>
  /**
   * Creates the staged animals in one step: those with an id keep it, the others get the next ones, in the order of their lines. Writes
   * the audit entry in the same step, with `count`, `firstId` and `lastId` added to its details. Writes nothing if there is no animal to
   * create, or if the entry's permit has ended, or its request has been carried out before.
   * @throws ActionRefused
   */
  commit(entry: NewAuditEntry, options: CommitOptions<ImportOutcome>): Promise<ImportOutcome>
  discard(): Promise<void>
}

/** Ends with `commit` or `discard`. */
export interface PetUpdate {
  /**
   * Adds corrections, in the order of the file.
   * @returns the lines left out because no animal has their id, or it is already in an earlier line, or because their name is that of the
   *   animal at this moment, damaged by a wrong encoding
   */
  stage(changes: readonly PetChangeLine[]): Promise<BadLine[]>
  /** What a commit would do right now. Blocks no other write. */
  preview(options: CommitOptions<UpdateOutcome>): Promise<UpdateOutcome>
  /**
   * Corrects the animals in one step. In the same step, writes the audit entry, with `count` added to its details, and the change of each
   * animal. Writes nothing if every animal already has the new values, or if the entry's permit has ended, or its request has been carried out before.
   * @throws ActionRefused
   */
  commit(entry: NewAuditEntry, options: CommitOptions<UpdateOutcome>): Promise<UpdateOutcome>
  discard(): Promise<void>
}

export interface UpdateOutcome {
  updated: number
  /** The number of animals that already had the values in their lines. */
  unchanged: number
  /** The number of lines whose animal does not exist. */
  refused: number
  /** The first MAX_BAD_LINES_KEPT of them, by line. */
  refusedLines: BadLine[]
}

export interface CommitOptions<Outcome> {
  /** Skip lines that have become impossible since they were staged. By default, a single one aborts the commit. */
  skipRefused: boolean
  /** If the entry's request may be repeated: what a repeated request gets, made from the outcome. It is remembered in the same step. */
  reportOf?: (outcome: Outcome) => object
}

export interface ImportOutcome {
  imported: number
  /** Undefined when nothing is imported. */
  firstId: bigint | undefined
  lastId: bigint | undefined
  /** The number of animals whose id was given to another animal after they were staged. */
  refused: number
  /** The first MAX_BAD_LINES_KEPT of them, by line. */
  refusedLines: BadLine[]
}

/** Animals in ascending order of id, in batches. Must be closed, even after the last batch. */
export interface PetExport {
  count: number
  batches: AsyncIterable<readonly Pet[]>
  close(): Promise<void>
}

export function idGivenBefore(id: bigint, highest: bigint): string {
  return `id ${id} may have been given before; ids are never reused, so it must be above ${highest} or left out.`
}

export function noSuchAnimal(id: bigint): string {
  return `there is no animal with id ${id}.`
}

export function idTwice(id: bigint, earlierLine: number): string {
  return `id ${id} is already in line ${earlierLine}; each animal needs its own id.`
}
