import type { Cleanup } from '../support/cleanup.ts'
import type { Stage } from './scenario.ts'

/** Runs something several times (once in the short form), and cleans up after each round. Returns the results. */
export async function inRounds<Result>(
  { isQuick }: Stage,
  rounds: number,
  run: (t: Cleanup, round: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let round = 1; round <= (isQuick ? 1 : rounds); round += 1) {
    await using started = new AsyncDisposableStack()
    results.push(await run({ after: end => started.defer(async () => void (await end())) }, round))
  }
  return results
}
