import { setTimeout as sleep } from 'node:timers/promises'

export interface Pace {
  /** How many actions run at the same time. */
  atOnce: number
  /** How many do while the machine is busy: those that run already go on, but no other one starts. As many as usual by default. */
  atOnceWhileBusy?: number
  isBusy?(): boolean
}

const BUSY_CHECK_MS = 1_000

/** Acts on each item, in this order, on several at the same time. */
export async function forEach<Item>(
  items: readonly Item[],
  { atOnce, atOnceWhileBusy = atOnce, isBusy = () => false }: Pace,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const work = async (worker: number) => {
    while (left.length > 0) {
      if (worker >= atOnceWhileBusy && isBusy()) await sleep(BUSY_CHECK_MS)
      else await act(left.shift() as Item)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, worker) => work(worker)))
}
