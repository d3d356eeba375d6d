import { type NewPet, PET_STATUSES } from '../domain/pet.ts'

/** The categories by their ids, from 1 on, with their animals. Those of the last one come from a feed. */
const CATEGORIES = [
  ['Dogs', 'Rex, Bella, Luna, Søren, Waldi, Žofka, Biscuit, Old Blue, Señor Bigotes, Daisy'],
  ['Cats', 'Mimi, Tom, Schnurrli, Tama たま, Café, Whiskers, Котофей, Salem, Mr. Mistoffelees'],
  ['Birds', 'Tweety, Polly, Kiki, Zazú, Röbi, Iago, Pip'],
  ['Fish', 'Nemo, Dory, Bubbles, 金魚, Goldie, Wanda, Fin'],
  ['Rabbits', 'Thumper, Flopsy, Mopsy, Cotton-tail, Peter, Hazel'],
  ['Hamsters', 'Nibbles, Hammy, Gizmo, Krümel, Peanut, Crumb'],
  ['Tortoises', 'Sheldon, Franklin, Tortuga, Óscar, Shelly'],
  ['Reptiles', 'Iggy, Spike, Rango, Kaa, Nagini, Smaug 🐉'],
] as const

export const DEMO_LABELS = CATEGORIES.map(([label]) => label)

/** The animals of the demo, in all three statuses; most are available. */
export const DEMO_PETS: readonly NewPet[] = CATEGORIES.flatMap(([, names], index) =>
  names.split(', ').map(name => ({ name, categoryId: BigInt(index + 1) })),
).map((pet, index) => ({ ...pet, status: PET_STATUSES[Math.max(0, (index % 5) - 2)] ?? 'available' }))

export const DEMO_FEED = {
  source: 'reptile-rescue',
  pets: DEMO_PETS.filter(({ categoryId }) => categoryId === BigInt(CATEGORIES.length)),
}
