import { test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { checkRepeatedCreations, checkRepeatedImports } from '../support/repeated-creations.ts'
import { canRunInstances } from '../support/servers/instances.ts'

test('an operator can repeat every creation, on another instance and at the same time', async t => {
  if (!canRunInstances(t)) return
  const service = await startOperatorService(t, {
    backend: 'scaled',
    // Both instances have the same address for callers.
    config: { publicUrls: { production: 'https://petstore.example' } },
  })
  const other = await service.startAnother()
  await checkRepeatedCreations(t, service, other)
  await checkRepeatedImports(service, other)
})
