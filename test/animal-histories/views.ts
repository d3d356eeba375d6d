import { fold } from '../../src/domain/fold.ts'
import { PET_STATUSES, type Pet } from '../../src/domain/pet.ts'
import type { PetFilter } from '../../src/domain/pet-selection.ts'
import type { CategoryUse, DeletedPet, PetCounts } from '../../src/domain/store/animals.ts'
import type { Change, Entry, Shelter } from './shelter.ts'

/** What is to be seen of a model. */

/** The selected animals, by id. */
export function petsOf({ animals }: Shelter, filter: PetFilter = {}): Pet[] {
  const pets = [...animals].map(([id, pet]) => ({ id, ...pet }))
  return pets.filter(pet => isSelected(pet, filter)).toSorted(byId)
}

function isSelected(pet: Pet, { name, statuses, categoryId }: PetFilter): boolean {
  return (
    (name === undefined || fold(pet.name).includes(fold(name))) &&
    (statuses === undefined || statuses.includes(pet.status)) &&
    (categoryId === undefined || pet.categoryId === categoryId)
  )
}

export function countsOf(pets: readonly Pet[]): PetCounts {
  const counts = PET_STATUSES.map(status => [status, pets.filter(pet => pet.status === status).length])
  return Object.fromEntries(counts)
}

export function categoriesOf(model: Shelter): CategoryUse[] {
  const pets = petsOf(model)
  const ids = new Set([...model.labels.keys(), ...pets.map(({ categoryId }) => categoryId)])
  return [...ids]
    .map(id => ({ id, label: model.labels.get(id), animals: petsOf(model, { categoryId: id }).length }))
    .toSorted(byId)
}

export function deletedOf({ animals, entries }: Shelter, deletedBy: string): DeletedPet[] {
  const last = new Map<bigint, { entry: Entry; change: Change }>()
  for (const entry of entries) for (const change of entry.changes) last.set(change.petId, { entry, change })
  return [...last]
    .flatMap(([id, { entry, change }]) =>
      change.before && !animals.has(id)
        ? [{ id, ...change.before, entryId: entry.id, deletedAt: entry.at, deletedBy }]
        : [],
    )
    .toSorted(byId)
}

/** What was done to an animal, newest first. */
export function logOf({ entries }: Shelter, petId: bigint) {
  const found = entries.flatMap(entry =>
    entry.changes.filter(change => change.petId === petId).map(change => ({ entry, change })),
  )
  return found.toReversed()
}

/** The same in its history. An import does not have the values of its animals. */
export function historyOf(model: Shelter, petId: bigint) {
  return logOf(model, petId).map(({ entry: { id, action }, change: { before, after } }) => ({
    ...{ id, action, before, after: action === 'pet.import' ? undefined : after },
  }))
}

export function byId(one: { id: bigint }, other: { id: bigint }): number {
  return Number(one.id - other.id)
}

export function byPet(one: { petId: bigint }, other: { petId: bigint }): number {
  return Number(one.petId - other.petId)
}
