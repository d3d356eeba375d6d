import type { Store } from '../domain/store.ts'
import type { UsageQuery } from '../domain/usage.ts'
import { accountOperations } from './accounts.ts'
import { banOperations } from './bans.ts'
import { callerByHash } from './callers.ts'
import { categoryOperations } from './categories.ts'
import { claimLinkOperations } from './claim-links.ts'
import { clockOperations } from './clock.ts'
import { countOperations } from './counts.ts'
import type { Dialect } from './dialect.ts'
import { keyOperations } from './keys.ts'
import {
  type LongRead,
  longRead,
  type Operation,
  type Operations,
  shortRead,
  type WriteOperation,
} from './operation.ts'
import { operatorOperations } from './operators.ts'
import { petOperations } from './pet-operations.ts'
import { petProgressOperations } from './pet-progress.ts'
import { petUndoOperations } from './pet-undo.ts'
import { refusalsFound } from './refusals.ts'
import { sourceOperations } from './sources.ts'
import { usageSums } from './usage.ts'
import { currentVersions } from './versions.ts'

/** The methods of a store that are not one operation for all databases. */
export type OwnMethods =
  | 'cursorSecret'
  | 'revision'
  | 'createPet'
  | 'indexPets'
  | 'lastChangeOf'
  | 'settledPetId'
  | 'saveCounts'
  | 'addUsage'
  | 'foldUsage'
  | 'addRefusals'
  | 'findCreation'
  | 'check'
  | 'deleteExpired'
  | 'settleChanges'
  | 'close'

export type StoreOperations = ReturnType<typeof operationsOf>

export function operationsOf(dialect: Dialect) {
  return {
    ...petOperations(dialect),
    ...petProgressOperations(dialect),
    ...petUndoOperations(dialect),
    ...categoryOperations(dialect),
    ...accountOperations(dialect),
    ...countOperations,
    ...keyOperations(dialect),
    ...banOperations,
    ...claimLinkOperations,
    ...operatorOperations(dialect),
    ...sourceOperations(dialect),
    ...clockOperations(dialect),
    findCaller: shortRead(callerByHash),
    readVersions: shortRead(currentVersions),
    listRefusals: longRead(refusalsFound),
    sumUsage: longRead((query: UsageQuery) => usageSums(query, dialect)),
  } satisfies Operations<Omit<Store, OwnMethods>>
}

type NamesOf<Table, Kind> = { [Name in keyof Table]: Table[Name] extends Kind ? Name : never }[keyof Table]

export type LongReadName = NamesOf<StoreOperations, LongRead<never, unknown>>
export type WriteName = NamesOf<StoreOperations, WriteOperation<never[], unknown>>

type WriteSteps = { [Name in WriteName]: StoreOperations[Name]['steps'] }

export function stepsOfWrites(operations: StoreOperations): WriteSteps {
  const entries = Object.entries<Operation>(operations)
  const steps = entries.flatMap(([name, operation]) => (operation.kind === 'write' ? [[name, operation.steps]] : []))
  return Object.fromEntries(steps) as WriteSteps
}
