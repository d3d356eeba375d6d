import { Mistake } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import type { NewPet, Pet } from '../pet.ts'
import type { Store } from '../store.ts'
import { type Acting, entryOf } from './acting.ts'

export async function addPet(acting: Acting, pet: NewPet): Promise<Pet> {
  return acting.store.addPet(pet, entryOf(acting, 'pet.create', describe(pet)))
}

/**
 * Changes what is given of an animal.
 * @param expected the animal as the operator saw it: if it is not so any more, nothing is changed
 */
export async function correctPet(acting: Acting, expected: Pet, change: Partial<NewPet>): Promise<Pet> {
  const corrected = { ...expected, ...change }
  const was = describe(expected)
  const details = Object.entries(describe(corrected)).flatMap(([name, value]) => {
    const before = was[name as keyof NewPet]
    return value === before ? [] : [[name, `${before} → ${value}`]]
  })
  if (details.length === 0) return expected
  const entry = entryOf(acting, 'pet.correct', Object.fromEntries(details))
  if (!(await acting.store.correctPet(expected, corrected, entry))) changedMeanwhile(expected.id)
  return corrected
}

/** @param expected the animal as the operator saw it: if it is not so any more, nothing is deleted */
export async function deletePet(acting: Acting, expected: Pet): Promise<void> {
  const entry = entryOf(acting, 'pet.delete', describe(expected))
  if (!(await acting.store.deletePet(expected, entry))) changedMeanwhile(expected.id)
}

export async function findPet(store: Store, petId: string): Promise<Pet> {
  const id = parseInt64(petId)
  const pet = id === undefined ? undefined : await store.findPet(id)
  if (!pet) throw new Mistake('not_found', `There is no animal with id "${petId}".`)
  return pet
}

function changedMeanwhile(id: bigint): never {
  throw new Mistake('conflict', `Animal ${id} has just been changed or deleted by someone else; look at it again.`)
}

function describe({ name, categoryId, status }: NewPet): Record<keyof NewPet, string> {
  return { name, categoryId: String(categoryId), status }
}
