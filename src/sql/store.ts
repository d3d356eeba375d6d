import type { WriteTerms } from '../domain/account.ts'
import type { NewAuditEntry } from '../domain/audit.ts'
import { type StoreClock, timeOfAge } from '../domain/clock.ts'
import { type DatedRequest, IDEMPOTENCY_MS, type IdempotentRequest } from '../domain/idempotency.ts'
import type { NewPet } from '../domain/pet.ts'
import type { RefusedCall } from '../domain/refusals.ts'
import type { SealedCreation } from '../domain/repeatable-request.ts'
import { RunningRequests } from '../domain/running-requests.ts'
import type { AccountCounts } from '../domain/store/accounts.ts'
import type { Creation, PetIndexing } from '../domain/store/animals.ts'
import type { CallerIds, Revision } from '../domain/store/revision.ts'
import type { Store } from '../domain/store.ts'
import type { KeyUsage, UsageBatch } from '../domain/usage.ts'
import type { Operation } from './operation.ts'
import type { LongReadName, StoreOperations, WriteName } from './operations.ts'
import { operatorCreation } from './operator-creations.ts'
import { petBacklog } from './pet-progress.ts'
import type { Query } from './statement.ts'
import type { Write } from './write.ts'

export type WriteArgs<Name extends WriteName> = Parameters<StoreOperations[Name]['steps']>
export type WriteResult<Name extends WriteName> =
  ReturnType<StoreOperations[Name]['steps']> extends Write<infer Result> ? Result : never

/** An animal to create for a caller, now, as one request, and on which terms. */
export type Wish = [pet: NewPet, now: number, request: DatedRequest | undefined, terms: WriteTerms | undefined]

/** The constructor of `SqlStore` adds the methods of the operations; `operationsOf` is checked to have all of them. */
const WithOperations = Object as unknown as abstract new () => Store

/** A store in an SQL database. The operations are the same for all databases; subclasses know how to run them. */
export abstract class SqlStore extends WithOperations {
  readonly #operations: StoreOperations
  readonly #requests = new RunningRequests()
  /** As last read or written: until then, nothing of a store is old. */
  #clockConfirmedAt: number | undefined

  constructor(operations: StoreOperations) {
    super()
    this.#operations = operations
    for (const [name, operation] of Object.entries<Operation>(operations)) {
      // A method that a class writes out does more than the operation.
      if (!(name in this)) Object.assign(this, { [name]: this.#methodOf(name, operation) })
    }
  }

  protected abstract read<Result>(query: Query<Result>): Promise<Result>

  protected abstract readLong(name: LongReadName, question: unknown, signal?: AbortSignal): Promise<unknown>

  protected abstract write<Name extends WriteName>(name: Name, ...args: WriteArgs<Name>): Promise<WriteResult<Name>>

  /** Creates an animal, unless the same request has already done so. The request is not in progress elsewhere in this process. */
  protected abstract create(...wish: Wish): Promise<Creation>

  abstract override readonly cursorSecret: Uint8Array
  abstract override revision(): Revision
  abstract override lastChangeOf(caller: CallerIds): number
  abstract override settledPetId(): bigint
  abstract override saveCounts(counts: readonly AccountCounts[]): Promise<void>
  abstract override addUsage(usage: readonly KeyUsage[], batch?: UsageBatch): Promise<void>
  abstract override foldUsage(options?: { all?: boolean }): Promise<void>
  abstract override addRefusals(calls: readonly RefusedCall[]): Promise<void>
  abstract override check(): Promise<void>
  abstract override deleteExpired(now: number, firstUsageDay: number): Promise<void>
  abstract override settleChanges(): Promise<void>
  abstract override close(): Promise<void>

  override createPet(pet: NewPet, now: number, request?: IdempotentRequest, terms?: WriteTerms): Promise<Creation> {
    if (!request) return this.create(pet, now, undefined, terms)
    const dated = { ...request, since: this.#idempotentSince(now) }
    return this.#requests.carryOut(request, () => this.create(pet, now, dated, terms))
  }

  override async indexPets({ minAnimals, maxMs }: PetIndexing): Promise<void> {
    const backlog = await this.read(petBacklog(minAnimals))
    if (!backlog) return
    const settled = this.settledPetId()
    if (backlog.uncounted >= minAnimals) await repeatFor(maxMs, () => this.write('countNextPets', settled))
    if (backlog.unindexed >= minAnimals) await repeatFor(maxMs, () => this.write('indexNextPets', settled))
  }

  override async readClock(): Promise<StoreClock> {
    const clock = await this.read(this.#operations.readClock.query())
    this.#clockConfirmedAt = clock.confirmedAt
    return clock
  }

  override async confirmClock(at: number, entry?: NewAuditEntry): Promise<void> {
    await this.write('confirmClock', at, entry)
    this.#clockConfirmedAt = at
  }

  override findCreation(key: string, now: number): Promise<SealedCreation | undefined> {
    return this.read(operatorCreation(key, this.#idempotentSince(now)))
  }

  /** Requests that were first sent later than this may be repeated. */
  #idempotentSince(now: number): number {
    return timeOfAge(now, this.#clockConfirmedAt) - IDEMPOTENCY_MS
  }

  #methodOf(name: string, operation: Operation): (...args: never[]) => Promise<unknown> {
    switch (operation.kind) {
      case 'short read':
        return (...args) => this.read(operation.query(...args))
      case 'long read':
        return (question, signal) => this.readLong(name as LongReadName, question, signal)
      case 'write':
        return (...args) => this.write(name as WriteName, ...(args as never))
    }
  }
}

async function repeatFor(milliseconds: number, work: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + milliseconds
  while ((await work()) && performance.now() < deadline);
}
