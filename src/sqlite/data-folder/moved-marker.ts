import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { conflict } from '../../domain/errors.ts'
import { formatTime } from '../../domain/time.ts'
import { createWhole } from './create-whole.ts'
import { databaseFile } from './store-files.ts'

/** Marks a folder whose store was moved to PostgreSQL. A service started on it by mistake would assign the same ids to other animals. */
export function markMoved(folder: string, now: number): void {
  const text = `This store was moved to PostgreSQL at ${formatTime(now)}.\n`
  createWhole(markerOf(folder), part => writeFileSync(part, text))
}

/** @throws UserError when the folder's store has been moved */
export function ensureNotMoved(folder: string): void {
  const marker = markerOf(folder)
  if (!existsSync(marker)) return
  throw conflict(
    `The store in ${folder} must not be used: ${readMarker(marker)} Set PETSTORE_DATABASE_URL. To go back to this store and lose every change since the move, delete ${marker}.`,
  )
}

function markerOf(folder: string): string {
  return `${databaseFile(folder)}.moved`
}

function readMarker(marker: string): string {
  try {
    return readFileSync(marker, 'utf8').trim()
  } catch {
    return 'This store was moved to PostgreSQL.'
  }
}
