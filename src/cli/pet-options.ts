import type { NewPet, PetStatus } from '../domain/pet.ts'

/** What is told of an animal. */
export interface PetOptions {
  name?: string
  category?: bigint
  status?: PetStatus
}

/** What is given of an animal, for the API's own check: it decides, and explains, what an animal may be. */
export function petMembers({ name, category, status }: PetOptions): Record<string, unknown> {
  return {
    ...(name !== undefined && { name }),
    ...(category !== undefined && { categoryId: category }),
    ...(status !== undefined && { status }),
  }
}

/**
 * The check that the API makes.
 * @throws Refusal
 */
export async function checkPet(members: Record<string, unknown>): Promise<NewPet> {
  // Help and all other commands do not wait for it to be loaded.
  const { checkNewPet } = await import('../http/new-pet.ts')
  return checkNewPet(members)
}
