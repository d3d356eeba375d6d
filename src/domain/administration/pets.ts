import { UserError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import type { NewPet, Pet } from '../pet.ts'
import type { AnimalStore } from '../store/animals.ts'
import { type AdminContext, entryOf } from './context.ts'

export async function addPet(context: AdminContext, pet: NewPet): Promise<Pet> {
  return context.store.addPet(pet, entryOf(context, 'pet.create', describe(pet)))
}

/** @param expected the animal as the operator read it; if it has changed since, it is not changed again */
export async function correctPet(context: AdminContext, expected: Pet, change: Partial<NewPet>): Promise<Pet> {
  const corrected = { ...expected, ...change }
  const before = describe(expected)
  const details = Object.entries(describe(corrected)).flatMap(([name, value]) => {
    const old = before[name as keyof NewPet]
    return value === old ? [] : [[name, `${old} → ${value}`]]
  })
  if (details.length === 0) return expected
  const entry = entryOf(context, 'pet.correct', Object.fromEntries(details))
  if (!(await context.store.correctPet(expected, corrected, entry))) throw changedMeanwhile(expected.id)
  return corrected
}

/** @param expected the animal as the operator read it; if it has changed since, it is not deleted */
export async function deletePet(context: AdminContext, expected: Pet): Promise<void> {
  const entry = entryOf(context, 'pet.delete', describe(expected))
  if (!(await context.store.deletePet(expected, entry))) throw changedMeanwhile(expected.id)
}

export async function findPet(store: AnimalStore, petId: string): Promise<Pet> {
  const id = parseInt64(petId)
  const pet = id === undefined ? undefined : await store.findPet(id)
  if (!pet) throw new UserError('not_found', `There is no animal with id "${petId}".`)
  return pet
}

function changedMeanwhile(id: bigint): UserError {
  return new UserError('conflict', `Animal ${id} has just been changed or deleted by someone else; read it again.`)
}

function describe({ name, categoryId, status }: NewPet): Record<keyof NewPet, string> {
  return { name, categoryId: String(categoryId), status }
}
