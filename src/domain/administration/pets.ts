import type { AuditValues } from '../audit.ts'
import { conflict, notFound } from '../errors.ts'
import { INT64_MAX, parseInt64 } from '../int64.ts'
import { changedMembers, MEMBER_NAMES, type NewPet, type Pet } from '../pet.ts'
import type { PetEvent } from '../pet-history.ts'
import type { AddedPet, AnimalStore, PetHistoryQuery } from '../store/animals.ts'
import { findLabel, type LabelledPet } from './categories.ts'
import { type AdminContext, entryOf, findById } from './context.ts'

export interface PetAfterAction extends Pet {
  /** The id of the action's audit entry. Undefined if the animal was already like this. */
  entryId: bigint | undefined
}

export async function addPet(context: AdminContext, pet: NewPet): Promise<AddedPet & LabelledPet> {
  const { store } = context
  const unstored = { categoryLabel: await findLabel(store, pet) }
  const entry = entryOf(context, 'pet.create', { after: valuesOf(pet), unstored })
  return { ...(await store.addPet(pet, entry)), ...unstored, origin: undefined }
}

/** @param expected the animal as the operator read it; if it has changed since, the correction fails */
export async function correctPet(
  context: AdminContext,
  expected: Pet,
  change: Partial<NewPet>,
): Promise<PetAfterAction> {
  return replacePet(context, 'pet.correct', expected, { ...expected, ...change })
}

async function replacePet(
  context: AdminContext,
  action: 'pet.correct' | 'pet.restore',
  expected: Pet,
  corrected: Pet,
): Promise<PetAfterAction> {
  const changed = changedMembers(expected, corrected)
  if (changed.length === 0) return { ...expected, entryId: undefined }
  const entry = entryOf(context, action, {
    before: valuesOf(expected, changed),
    after: valuesOf(corrected, changed),
  })
  const entryId = (await context.store.correctPet(expected, corrected, entry)) ?? refuseChanged(expected.id)
  return { ...corrected, entryId }
}

/**
 * @param expected the animal as the operator read it; if it has changed since, the deletion fails
 * @returns the id of the audit entry
 */
export async function deletePet(context: AdminContext, expected: Pet): Promise<bigint> {
  const entry = entryOf(context, 'pet.delete', { before: valuesOf(expected) })
  return (await context.store.deletePet(expected, entry)) ?? refuseChanged(expected.id)
}

/** A state of an animal in its history: the one before or after an entry of the audit log. */
export interface PastState {
  entryId: bigint
  side: (typeof SIDES)[number]
}

export const SIDES = ['before', 'after'] as const

/**
 * Returns an animal to an earlier state, a deleted one under its own id.
 * @param expected the animal as it is now; undefined if it was deleted
 * @throws UserError if its history does not have this state, or someone else has just changed it
 */
export async function restorePet(
  context: AdminContext,
  petId: string,
  expected: Pet | undefined,
  past: PastState,
): Promise<PetAfterAction> {
  const restored = { ...(await findPastState(context.store, petId, past)), id: BigInt(petId) }
  if (expected) return replacePet(context, 'pet.restore', expected, restored)
  const entry = entryOf(context, 'pet.restore', { after: valuesOf(restored) })
  const entryId = (await context.store.bringBackPet(restored, entry)) ?? refuseChanged(restored.id)
  return { ...restored, entryId }
}

async function findPastState(store: AnimalStore, petId: string, { entryId, side }: PastState): Promise<NewPet> {
  const beforeId = entryId < INT64_MAX ? entryId + 1n : undefined
  const [event] = await listPetHistory(store, petId, { beforeId, limit: 1 })
  if (event?.id !== entryId) throw notFound(`Entry ${entryId} did not change animal ${petId}.`)
  const state = event[side]
  if (state) return state
  throw conflict(`Animal ${petId} cannot return to its state ${side} entry ${entryId}: ${explainNoState(event, side)}.`)
}

/** The history has no values of imported animals, and of corrections by version 1.1.0. */
function explainNoState({ action, before, after }: PetEvent, side: PastState['side']): string {
  if (action === 'pet.import') {
    return side === 'before'
      ? 'it did not exist'
      : 'the history does not have its values. Choose the state before its next change'
  }
  return (before ?? after) ? 'it did not exist' : 'the history does not have its values'
}

export function findPet(store: AnimalStore, petId: string): Promise<Pet> {
  return findById('animal', petId, id => store.findPet(id))
}

/**
 * What operators did to an animal, newest first, even if it no longer exists.
 * @throws UserError if, as far as is known, no animal ever had this id
 */
export async function listPetHistory(
  store: AnimalStore,
  petId: string,
  page: Omit<PetHistoryQuery, 'petId'>,
  signal?: AbortSignal,
): Promise<PetEvent[]> {
  const id = parseInt64(petId)
  const events = id === undefined ? [] : await store.listPetHistory({ petId: id, ...page }, signal)
  if (events.length === 0 && page.beforeId === undefined) await findPet(store, petId)
  return events
}

function refuseChanged(id: bigint): never {
  throw conflict(`Animal ${id} has just been changed or deleted by someone else; read it again.`)
}

function valuesOf(pet: NewPet, members = MEMBER_NAMES): AuditValues {
  return Object.fromEntries(members.map(name => [name, pet[name] ?? null]))
}
