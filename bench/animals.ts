import { type NewPet, PET_STATUSES, type PetStatus } from '../src/domain/pet.ts'

const FIRST = ['Bella', 'Émile', 'Łatka', 'Rex', 'Mia', 'Zoë', 'Snoopy', 'Ärger', 'Lucy', 'Ćma', 'Felix', 'Øre', 'Nala']
export const SECOND = [
  ...['of the North', 'the Brave', 'von Stein', 'junior', 'from Lyon', 'II', 'the Quiet', 'Blue', 'of Kraków'],
]

/** An animal as in a large shop, with a unique name. */
export function animalOf(number: number): NewPet {
  const first = FIRST[number % FIRST.length]
  const second = SECOND[Math.floor(number / FIRST.length) % SECOND.length]
  return { name: `${first} ${second} ${number}`, categoryId: BigInt(number % 40), status: statusOf(number) }
}

export function statusOf(number: number): PetStatus {
  return PET_STATUSES[number % PET_STATUSES.length] as PetStatus
}
