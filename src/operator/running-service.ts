import type { Finding, HealthPart, SettingJson } from '../schema/operator-schemas.ts'

export type { Finding, HealthPart, SettingJson }

/** Port: what operators can find out about the service as it runs. */
export interface RunningService {
  /** Of the program. */
  version: string
  /** Unix milliseconds. */
  startedAt: number
  /** The public base address, with /v1; undefined until the public listener is open. */
  publicUrl(): string | undefined
  /** How long a claim link works unless its creator chooses another time. */
  claimLinkSeconds: number
  settings(): SettingJson[]
  /** At least 1, for this one. */
  instances(): number
  /** How everything but the store is doing. */
  healthParts(now: number): HealthPart[]
  /** Does what `petstore doctor` does. Calls that come meanwhile share its findings. */
  examine(): Promise<Finding[]>
}
