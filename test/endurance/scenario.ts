import type { Cleanup } from '../support/cleanup.ts'
import type { Tally } from './tally.ts'

/** One way to make life hard for the service. It proves, by figures, that callers lose nothing. */
export interface Scenario {
  /** On the command line and in the table. */
  name: string
  /** A paragraph of docs/reliability.md. */
  explanation: string
  /** Seconds after which it counts as failed: longer than any sound run takes. */
  maxSeconds: number
  run(stage: Stage): Promise<void>
}

/** What a scenario works with. */
export interface Stage {
  /** Ends whatever the scenario has started, the newest first. */
  t: Cleanup
  tally: Tally
  /** Whether a short form is wanted: the same steps, fewer of each. */
  isQuick: boolean
  /** The program that is started as `PROGRAM serve`. */
  program: string
}
