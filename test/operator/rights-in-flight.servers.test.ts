import { test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { checkRightsInFlight } from '../support/rights-in-flight.ts'
import { canRunInstances } from '../support/servers/instances.ts'

test('an operator who loses a right on one instance changes nothing with a body that is on its way to another', async t => {
  if (!canRunInstances(t)) return
  const service = await startOperatorService(t, { backend: 'scaled' })
  await checkRightsInFlight(t, service, await service.startAnother())
})
