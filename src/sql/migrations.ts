import { readdirSync, readFileSync } from 'node:fs'
import type { Deployment } from '../domain/deployment.ts'
import { conflict } from '../domain/errors.ts'

/** The SQL of the migrations in a folder, in order. The version of a store is the number of migrations applied to it. */
export function readMigrations(folder: URL): string[] {
  return readdirSync(folder)
    .sort()
    .map(name => readFileSync(new URL(name, folder), 'utf8'))
}

/**
 * @param store such as "The store petstore.db"
 * @throws UserError when its version is above the newest that this program supports
 */
export function ensureSupported(store: string, version: number, newest: number): void {
  if (version <= newest) return
  throw conflict(`${store} has version ${version}; this program supports up to ${newest} (a newer release wrote it).`)
}

/** @throws UserError when the store belongs to a different deployment */
export function ensureDeployment(store: string, own: Deployment, wanted: Deployment): void {
  if (own === wanted) return
  throw conflict(`${store} belongs to ${own}; it cannot be opened as ${wanted}.`)
}
