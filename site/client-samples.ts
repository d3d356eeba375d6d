/** How to call each operation with @petstore/client, for the reference. A test runs them. */
export const CLIENT_SAMPLES: Readonly<Record<string, string>> = {
  listPets: sample(`const { pets } = await petstore.pets.list({ limit: 2 })
console.log(pets)`),
  createPet: sample(`const pet = await petstore.pets.create({
  name: 'Bruno',
  categoryId: 1,
})
console.log(pet)`),
  getPet: sample(`const pet = await petstore.pets.get(1)
console.log(pet)`),
}

function sample(call: string): string {
  return `import { PetstoreClient } from '@petstore/client'

const petstore = new PetstoreClient({
  baseUrl: process.env.PETSTORE_URL ?? '',
  apiKey: process.env.PETSTORE_API_KEY ?? '',
})

${call}`
}
