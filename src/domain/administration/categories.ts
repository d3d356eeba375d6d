import { notFound, UserError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { parseLabel } from '../label.ts'
import type { NewPet, Pet } from '../pet.ts'
import type { AnimalStore, Category } from '../store/animals.ts'
import type { PetOrigin, SourceStore } from '../store/sources.ts'
import { type AdminContext, entryOf } from './context.ts'

export interface LabelledPet extends Pet {
  categoryLabel: string | undefined
  /** The source that has added it, and its id there. */
  origin: Omit<PetOrigin, 'petId'> | undefined
}

/** Sets or changes the label of a category. Labels are for operators: the public API does not show them. */
export async function labelCategory(context: AdminContext, categoryId: string, newLabel: string): Promise<Category> {
  const id = parseCategoryId(categoryId)
  const label = parseLabel(newLabel, 'A label')
  const [labelled] = await context.store.findCategories([id])
  if (labelled?.label === label) return labelled
  await context.store.labelCategory(id, label, entryOf(context, 'category.label', { after: { label } }))
  return { id, label }
}

export async function unlabelCategory(context: AdminContext, categoryId: string): Promise<Category> {
  const id = parseCategoryId(categoryId, 'not_found')
  const [category] = await context.store.findCategories([id])
  const entry = entryOf(context, 'category.unlabel')
  if (!category || !(await context.store.unlabelCategory(category.id, entry))) {
    throw notFound(`Category ${categoryId} has no label.`)
  }
  return category
}

export async function labelPets<One extends Pet>(
  store: AnimalStore & SourceStore,
  pets: readonly One[],
): Promise<(One & LabelledPet)[]> {
  if (pets.length === 0) return []
  const ids = new Set(pets.map(({ categoryId }) => categoryId))
  const [categories, found] = await Promise.all([
    store.findCategories([...ids]),
    store.findOrigins(pets.map(({ id }) => id)),
  ])
  const labels = new Map(categories.map(({ id, label }) => [id, label]))
  const origins = new Map(found.map(({ petId, ...origin }) => [petId, origin]))
  return pets.map(pet => ({ ...pet, categoryLabel: labels.get(pet.categoryId), origin: origins.get(pet.id) }))
}

export async function labelPet<One extends Pet>(
  store: AnimalStore & SourceStore,
  pet: One,
): Promise<One & LabelledPet> {
  const [labelled] = await labelPets(store, [pet])
  return labelled as One & LabelledPet
}

export async function findLabel(store: AnimalStore, { categoryId }: NewPet): Promise<string | undefined> {
  const [category] = await store.findCategories([categoryId])
  return category?.label
}

function parseCategoryId(text: string, kind: UserError['kind'] = 'invalid'): bigint {
  const id = parseInt64(text)
  if (id === undefined) throw new UserError(kind, `A category is given by its number, such as 3; "${text}" is not one.`)
  return id
}
