import type { Finding, HealthPart, SettingJson } from '../schema/responses/service.ts'

export type { Finding, HealthPart, SettingJson }

/** Port: information about the running service, for operators. */
export interface RunningService {
  /** Of the program. */
  version: string
  /** Unix milliseconds. */
  startedAt: number
  /** The public base address, with /v1; undefined until the public listener is open. */
  publicUrl(): string | undefined
  /** How long a claim link works by default. */
  claimLinkSeconds: number
  settings(): SettingJson[]
  /** At least 1: this instance. */
  instances(): number
  /** The health of everything except the store. */
  healthParts(now: number): HealthPart[]
  /** Runs the checks of `petstore doctor`. Concurrent calls share the findings. */
  examine(): Promise<Finding[]>
}
