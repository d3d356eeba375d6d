import { DEMO_PETS } from '../../src/cli/demo-pets.ts'
import type { Deployment } from '../../src/domain/deployment.ts'
import type { Cleanup } from './cleanup.ts'
import { startTestService, type TestService } from './service.ts'

/** Starts a service with the animals of the demo, which the samples in the documents show. */
export async function startWithAnimals(t: Cleanup, deployment: Deployment): Promise<TestService> {
  const service = await startTestService(t, { backend: 'embedded', config: { deployment } })
  for (const pet of DEMO_PETS) await service.store.createPet(pet, service.clock.now)
  return service
}
