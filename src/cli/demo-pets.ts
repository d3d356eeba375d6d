import { type NewPet, PET_STATUSES } from '../domain/pet.ts'

/** Animals by category. The last category shows that a category id may be any int64. */
const NAMES: readonly (readonly [categoryId: bigint, names: string])[] = [
  [1n, 'Rex, Bella, Luna, Søren, Waldi, Žofka, Biscuit, Old Blue, Señor Bigotes, Daisy'], // dogs
  [2n, 'Mimi, Tom, Schnurrli, Tama たま, Café, Whiskers, Котофей, Salem, Mr. Mistoffelees'], // cats
  [3n, 'Tweety, Polly, Kiki, Zazú, Röbi, Iago, Pip'], // birds
  [4n, 'Nemo, Dory, Bubbles, 金魚, Goldie, Wanda, Fin'], // fish
  [5n, 'Thumper, Flopsy, Mopsy, Cotton-tail, Peter, Hazel'], // rabbits
  [6n, 'Nibbles, Hammy, Gizmo, Krümel, Peanut, Crumb'], // hamsters and guinea pigs
  [7n, 'Sheldon, Franklin, Tortuga, Óscar, Shelly'], // tortoises
  [8n, 'Iggy, Spike, Rango, Kaa, Nagini, Smaug 🐉'], // lizards and snakes
]

/** The animals of the demo, in all three statuses; most are available. */
export const DEMO_PETS: readonly NewPet[] = NAMES.flatMap(([categoryId, names]) =>
  names.split(', ').map(name => ({ name, categoryId })),
).map((pet, index) => ({ ...pet, status: PET_STATUSES[Math.max(0, (index % 5) - 2)] ?? 'available' }))
