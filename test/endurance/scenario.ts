import type { Cleanup } from '../support/cleanup.ts'
import type { Tally } from './tally.ts'

/** One way to put the service in trouble, with measurements that prove that callers lose nothing. */
export interface Scenario {
  /** On the command line and in the table. */
  name: string
  /** What happens, and what must hold, in a cell of the table in docs/reliability.md. */
  explanation: string
  /** The timeout: longer than any successful run takes. */
  maxSeconds: number
  run(stage: Stage): Promise<void>
}

/** What a scenario works with. */
export interface Stage {
  /** Cleans up what the scenario has started, the newest first. */
  t: Cleanup
  tally: Tally
  /** Whether to run the short form: the same steps, but fewer of each. */
  isQuick: boolean
  /** The program that is started as `PROGRAM serve`. */
  program: string
}
