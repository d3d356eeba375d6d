import { test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { checkRepeatedCreations } from '../support/repeated-creations.ts'
import { canRunInstances } from '../support/servers/instances.ts'

test('an operator can repeat every creation, on another instance and at the same time', async t => {
  if (!canRunInstances(t)) return
  const service = await startOperatorService(t, {
    backend: 'scaled',
    // Both instances have the same address for callers.
    config: { publicUrls: { production: 'https://petstore.example' } },
  })
  await checkRepeatedCreations(t, service, await service.startAnother())
})
