import { test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { checkRightsInFlight } from '../support/rights-in-flight.ts'

test('an operator who loses a right while a body is on its way changes nothing with it', async t => {
  await checkRightsInFlight(t, await startOperatorService(t))
})
