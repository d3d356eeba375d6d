import type { NewAuditEntry } from './audit.ts'
import type { NewPet, Pet, PetStatus } from './pet.ts'

/** No animal comes with a higher id: as many again are left for those that follow. */
export const HIGHEST_IMPORTED_ID = 2n ** 62n

/** How many bad lines are kept to be told at the end; of the others only the number is known. */
export const BAD_LINES_KEPT = 1_000

/** An animal as a file has it. */
export interface PetLine extends NewPet {
  /** Where it stands in the file, from 1. */
  line: number
  /** 1 to HIGHEST_IMPORTED_ID; an animal without one gets the next. */
  id: bigint | undefined
}

/** A line that cannot be imported. */
export interface BadLine {
  line: number
  reason: string
}

/**
 * Port: all animals in and out, however many, in constant memory and beside a service that runs on the same store. What it promises
 * is tested by pet-transfer.contract.ts. Every method throws `StoreUnavailable` when the store cannot work just now.
 */
export interface PetTransfer {
  /** Nothing of an import is seen, and nobody waits for it, before it is committed. */
  beginImport(): Promise<PetImport>
  /** The animals of this status, or all, as they are at this moment, whatever is written meanwhile. */
  beginExport(status?: PetStatus): Promise<PetExport>
}

/** Ends with `commit` or `discard`. */
export interface PetImport {
  /**
   * Lays animals aside, in the order of the file.
   * @returns those that are not laid aside, because their id has been given before or stands in an earlier line
   */
  stage(pets: readonly PetLine[]): Promise<BadLine[]>
  /** What a commit would do as things stand. Nobody waits for it. */
  preview(options: CommitOptions): Promise<ImportOutcome>
  /**
   * Makes the staged animals, all in one step: those with an id keep it, the others get the next ones, in the order of their lines.
   * The audit entry is written in the same step, with `count`, `firstId` and `lastId` in its details. Where no animal is to be made,
   * nothing is written.
   */
  commit(entry: NewAuditEntry, options: CommitOptions): Promise<ImportOutcome>
  discard(): Promise<void>
}

export interface CommitOptions {
  /** Leaves out the animals whose id has been given since they were staged. Otherwise, where there is one, nothing is imported. */
  skipRefused: boolean
}

export interface ImportOutcome {
  imported: number
  /** Undefined where nothing is imported. */
  firstId: bigint | undefined
  lastId: bigint | undefined
  /** How many animals have an id that has been given since they were staged. */
  refused: number
  /** The first BAD_LINES_KEPT of them, by line. */
  refusedLines: BadLine[]
}

/** By ascending id, a batch at a time. To be closed also when it has been read to its end. */
export interface PetExport {
  count: number
  batches: AsyncIterable<readonly Pet[]>
  close(): Promise<void>
}

export function idGivenBefore(id: bigint, highest: bigint): string {
  return `id ${id} may have been given before; an id is never used again, so it must be above ${highest}, or left out.`
}

export function idTwice(id: bigint, earlierLine: number): string {
  return `id ${id} stands in line ${earlierLine} already; each animal must have an id of its own.`
}
