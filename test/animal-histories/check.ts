import { inspect } from 'node:util'
import fc from 'fast-check'
import { type Action, action } from './actions.ts'
import { type Opened, World } from './world.ts'

const HISTORY = fc.array(action, { minLength: 30, maxLength: 60, size: 'max' })
/** New categories of files get higher numbers than any line has. */
const FIRST: Action = { type: 'label', categoryId: 5n, label: 'Birds' }

type Open = () => Promise<Opened>

/**
 * Carries out random histories. The same seed gives the same ones, whatever their number.
 * @throws Error with the actions that it takes to fail
 */
export async function checkHistories(open: Open, seed: number, count: number): Promise<void> {
  for (const [place, history] of fc.sample(HISTORY, { seed, numRuns: count }).entries()) {
    const failure = await run(open, history)
    if (!failure) continue
    const { actions, error } = await shrink(open, failure)
    throw new Error(`history ${place} of seed ${seed} fails:\n${actions.map(describe).join('\n')}`, { cause: error })
  }
}

interface Failure {
  /** Ends with the one that failed. */
  actions: readonly Action[]
  error: unknown
}

async function run(open: Open, actions: readonly Action[]): Promise<Failure | undefined> {
  const opened = await open()
  let begun = 0
  try {
    const world = new World(opened)
    await world.carryOut(FIRST)
    for (const one of actions) {
      begun += 1
      await world.carryOut(one)
    }
    await world.end()
    return undefined
  } catch (error) {
    return { actions: actions.slice(0, begun), error }
  } finally {
    await opened.close()
  }
}

/** Leaves out every action without which it still fails. */
async function shrink(open: Open, failure: Failure): Promise<Failure> {
  let shortest = failure
  for (let place = failure.actions.length - 1; place >= 0; place -= 1) {
    if (place < shortest.actions.length) shortest = (await run(open, shortest.actions.toSpliced(place, 1))) ?? shortest
  }
  return shortest
}

function describe(action: Action): string {
  return inspect(action, { depth: 5, breakLength: Number.POSITIVE_INFINITY })
}
