/** A call with each of our clients. */
export interface ClientSample {
  ts: string
  python: string
}

/** How to call each operation with our clients, for the reference. A test runs them. */
export const CLIENT_SAMPLES: Readonly<Record<string, ClientSample>> = {
  listPets: sample(
    `const { pets } = await petstore.pets.list({ limit: 2 })
console.log(pets)`,
    `page = petstore.pets.list(limit=2)
print(page.pets)`,
  ),
  createPet: sample(
    `const pet = await petstore.pets.create({
  name: 'Bruno',
  categoryId: 1,
})
console.log(pet)`,
    `pet = petstore.pets.create(name='Bruno', category_id=1)
print(pet)`,
  ),
  getPet: sample(
    `const pet = await petstore.pets.get(1)
console.log(pet)`,
    `pet = petstore.pets.get(1)
print(pet)`,
  ),
}

function sample(ts: string, python: string): ClientSample {
  return {
    ts: `import { PetstoreClient } from '@petstore/client'

const petstore = new PetstoreClient({
  baseUrl: process.env.PETSTORE_URL ?? '',
  apiKey: process.env.PETSTORE_API_KEY ?? '',
})

${ts}`,
    python: `import os
from petstore_client import Petstore

petstore = Petstore(
    base_url=os.environ['PETSTORE_URL'],
    api_key=os.environ['PETSTORE_API_KEY'],
)

${python}`,
  }
}
