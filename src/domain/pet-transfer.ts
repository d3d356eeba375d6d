import type { NewAuditEntry } from './audit.ts'
import type { NewPet, Pet } from './pet.ts'
import type { PetFilter } from './pet-selection.ts'

/** The highest id of an imported animal; as many ids are left for new animals. */
export const MAX_IMPORTED_ID = 2n ** 62n

/** Of more bad lines than this, only the number is kept. */
export const MAX_BAD_LINES_KEPT = 1_000

/** An animal in a file. */
export interface PetLine extends NewPet {
  /** The number of its line, from 1. */
  line: number
  /** 1 to MAX_IMPORTED_ID; an animal without an id gets the next one. */
  id: bigint | undefined
}

/** A line of a file that corrects an animal. */
export interface PetChangeLine {
  line: number
  id: bigint
  /** What is undefined stays as it is. */
  change: { [Member in keyof NewPet]?: NewPet[Member] | undefined }
}

/** A line that cannot be imported. */
export interface BadLine {
  line: number
  reason: string
  /** What is wrong with its members, one by one, if that is what is wrong. */
  problems?: readonly LineProblem[]
}

export interface LineProblem {
  member: string
  /** As it is in the line, cut off if it is long; undefined if it is absent. */
  value: string | undefined
  reason: string
}

/**
 * Port: imports and exports any number of animals in constant memory, beside a service that runs on the same store.
 * pet-transfer.contract.ts tests what it promises. Every method throws `StoreUnavailable` when the store cannot work at the moment.
 */
export interface PetTransfer {
  /** An import is invisible and blocks no other write until it is committed. */
  beginImport(): Promise<PetImport>
  /** A correction of many animals, which is invisible and blocks no other write until it is committed. */
  beginUpdate(): Promise<PetUpdate>
  /** The selected animals, as they are now: later writes do not change the export. */
  beginExport(filter?: PetFilter): Promise<PetExport>
}

/** Ends with `commit` or `discard`. */
export interface PetImport {
  /**
   * Adds animals to the import, in the order of the file.
   * @returns those that are left out because their id was given before or is already in an earlier line
   */
  stage(pets: readonly PetLine[]): Promise<BadLine[]>
  /** The outcome of a commit at this moment. Blocks no other write. */
  preview(options: CommitOptions): Promise<ImportOutcome>
  /**
   * Creates the staged animals in one step: those with an id keep it, the others get the next ones, in the order of their lines. Writes
   * the audit entry in the same step, with `count`, `firstId` and `lastId` added to its details. Writes nothing when there is no animal to
   * create.
   */
  commit(entry: NewAuditEntry, options: CommitOptions): Promise<ImportOutcome>
  discard(): Promise<void>
}

/** Ends with `commit` or `discard`. */
export interface PetUpdate {
  /**
   * Adds corrections, in the order of the file.
   * @returns those that are left out because no animal has their id, or because it is already in an earlier line
   */
  stage(changes: readonly PetChangeLine[]): Promise<BadLine[]>
  /** The outcome of a commit at this moment. Blocks no other write. */
  preview(options: CommitOptions): Promise<UpdateOutcome>
  /**
   * Corrects the animals in one step. Writes the audit entry, with `count` added to its details, and what it changed about each animal in
   * the same step. Writes nothing when every animal is already as it should be.
   */
  commit(entry: NewAuditEntry, options: CommitOptions): Promise<UpdateOutcome>
  discard(): Promise<void>
}

export interface UpdateOutcome {
  updated: number
  /** The number of animals that were already as their lines say. */
  unchanged: number
  /** The number of lines whose animal does not exist. */
  refused: number
  /** The first MAX_BAD_LINES_KEPT of them, by line. */
  refusedLines: BadLine[]
}

export interface CommitOptions {
  /** Leave out lines that can no longer be carried out since they were staged. Otherwise a single one aborts the whole. */
  skipRefused: boolean
}

export interface ImportOutcome {
  imported: number
  /** Undefined when nothing is imported. */
  firstId: bigint | undefined
  lastId: bigint | undefined
  /** The number of animals whose id was given after they were staged. */
  refused: number
  /** The first MAX_BAD_LINES_KEPT of them, by line. */
  refusedLines: BadLine[]
}

/** Animals by ascending id, in batches. Must be closed, also after the last batch. */
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
