import type { Build, Finding, SettingJson } from '../schema/responses/service.ts'

export type { Build, SettingJson }

/** What a check has found, and since when that is so, in Unix milliseconds, if it is known. */
export interface CheckFinding extends Finding {
  since?: number | undefined
}

/** Port: information about the running service, for operators. */
export interface RunningService {
  build: Promise<Build>
  /** Unix milliseconds. */
  startedAt: number
  /** The public base address, with /v1; undefined until the public listener is open. */
  publicUrl(): string | undefined
  claimLinkSeconds: number
  settings(): SettingJson[]
  /** At least 1: this instance. */
  instances(): number
  /** Whole days until each listener's certificate expires. */
  certificateDays(): Readonly<Record<string, number>>
  checkHealth(): Promise<CheckFinding[]>
  /** Why this instance should get no calls at the moment; undefined if it should. */
  checkReadiness(): Promise<CheckFinding | undefined>
  /** Runs the checks of `petstore doctor`. Concurrent calls share the findings. */
  examine(): Promise<Finding[]>
}
