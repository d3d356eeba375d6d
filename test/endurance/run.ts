import { PROGRAM } from '../support/command-line.ts'
import { NotPossible } from '../support/servers/needs.ts'
import type { Report } from './report.ts'
import type { Scenario } from './scenario.ts'
import { Tally } from './tally.ts'

export interface RunOptions {
  isQuick: boolean
  /** The program to test; by default, the one of this checkout. */
  program?: string
}

/** Runs one scenario with a timeout, and cleans up after it. Never throws: the report contains all errors. */
export async function runScenario(scenario: Scenario, { isQuick, program = PROGRAM }: RunOptions): Promise<Report> {
  const tally = new Tally()
  const started = new AsyncDisposableStack()
  const t = { after: (end: () => unknown) => started.defer(async () => void (await end())) }
  const startedAt = performance.now()
  let impossible: string | undefined
  try {
    await within(scenario.maxSeconds, scenario.run({ t, tally, isQuick, program }))
  } catch (error) {
    if (error instanceof NotPossible) impossible = error.message
    else tally.expect(false, error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  try {
    await started.disposeAsync()
  } catch (error) {
    tally.expect(false, `cleaning up failed: ${error}`)
  }
  const { name, explanation } = scenario
  const { figures, notes, charts, failures } = tally
  const seconds = (performance.now() - startedAt) / 1_000
  return { name, explanation, figures, notes, charts, failures, impossible, seconds }
}

async function within(seconds: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`It has not ended within ${seconds} s.`)), seconds * 1_000)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    // Work that is still running fails when its service ends. That is not another failure.
    work.catch(() => {})
  }
}
