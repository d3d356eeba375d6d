import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { call } from '../api/call.ts'
import { ApiError } from '../api/errors.ts'
import type { Pet } from '../api/schema.ts'
import { hideAnimal, refreshAnimals } from './animals.ts'

/**
 * Deletions that can still be undone. The service deletes immediately and never reuses an id, so the console delays the request for a deletion; it
 * sends the request earlier if the operator leaves the page.
 */
export const UNDO_MS = 10_000

interface Deletion {
  animal: Pet
  client: QueryClient
  timer: ReturnType<typeof setTimeout>
  isSent: boolean
  onRefused(error: unknown): void
  /** Called when the deletion was undone, or can no longer be undone. */
  onSettled(): void
}

let waiting: ReadonlyMap<bigint, Deletion> = new Map()
const listeners = new Set<() => void>()

addEventListener('pagehide', () => void sendDeletions())

/** The animals that are about to be deleted, by id. */
export function useDeletions(): ReadonlyMap<bigint, unknown> {
  return useSyncExternalStore(subscribe, () => waiting)
}

export function deleteLater(client: QueryClient, animal: Pet, on: Pick<Deletion, 'onRefused' | 'onSettled'>): void {
  if (waiting.has(animal.id)) return
  const timer = setTimeout(() => void send(animal.id), UNDO_MS)
  change(new Map([...waiting, [animal.id, { animal, client, timer, isSent: false, ...on }]]))
}

export function undoDeletion(id: bigint): void {
  const deletion = waiting.get(id)
  if (!deletion || deletion.isSent) return
  clearTimeout(deletion.timer)
  deletion.onSettled()
  forget(id)
}

/** Sends all pending deletions now. */
export async function sendDeletions(): Promise<void> {
  await Promise.all([...waiting.keys()].map(send))
}

/** Drops all pending deletions, because the operator who requested them has signed out. */
export function dropDeletions(): void {
  for (const { timer } of waiting.values()) clearTimeout(timer)
  change(new Map())
}

async function send(id: bigint): Promise<void> {
  const deletion = waiting.get(id)
  if (!deletion || deletion.isSent) return
  deletion.isSent = true
  const { animal, client, timer, onRefused, onSettled } = deletion
  clearTimeout(timer)
  onSettled()
  try {
    await call('DELETE', `/pets/${id}`, { ifMatch: animal.etag, isKeptAlive: true })
    hideAnimal(client, id)
  } catch (error) {
    // Someone else was faster.
    if (error instanceof ApiError && error.status === 404) hideAnimal(client, id)
    else {
      onRefused(error)
      refreshAnimals(client)
    }
  } finally {
    forget(id)
  }
}

function forget(id: bigint): void {
  change(new Map([...waiting].filter(([one]) => one !== id)))
}

function change(next: ReadonlyMap<bigint, Deletion>): void {
  waiting = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
