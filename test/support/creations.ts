import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from '../../src/domain/errors.ts'
import type { Store } from '../../src/domain/store.ts'
import { createAccount, NOW, newPet } from '../../src/domain/store-contract/fixtures.contract.ts'

export interface Creations {
  /** The id of each animal by its unique name. */
  acknowledged: ReadonlyMap<string, bigint>
  /** How many creations the store has temporarily refused. */
  refused(): number
  /** Waits until the last ones are acknowledged. */
  stop(): Promise<void>
}

/** Callers that create one animal after another, and repeat each with its idempotency key until the store acknowledges it. */
export async function startCreations(store: Store, callers: number): Promise<Creations> {
  const { id: accountId } = await createAccount(store, 'Acme')
  const acknowledged = new Map<string, bigint>()
  let refused = 0
  let made = 0
  let isOver = false
  const createOne = async (name: string) => {
    for (;;) {
      try {
        const creation = await store.createPet(newPet({ name }), NOW, { accountId, key: name, fingerprint: name })
        assert.ok('pet' in creation)
        return void acknowledged.set(name, creation.pet.id)
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable, String(error))
        refused += 1
        await sleep(20)
      }
    }
  }
  const creating = Array.from({ length: callers }, async () => {
    while (!isOver) {
      made += 1
      await createOne(`animal ${made}`)
    }
  })
  return {
    acknowledged,
    refused: () => refused,
    async stop() {
      isOver = true
      await Promise.all(creating)
    },
  }
}
