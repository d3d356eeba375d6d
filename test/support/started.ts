import type { Service } from '../../src/app/service.ts'

/** A service of a test: one or more instances. */
export interface Started {
  url: string
  instances: readonly [Service, ...Service[]]
  close(): Promise<void>
}

export function portOf(url: string): number {
  return Number(new URL(url).port)
}
