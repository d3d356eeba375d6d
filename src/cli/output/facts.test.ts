import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatFacts } from './facts.ts'

test('what an action did is shown by its changes and details, without what says nothing', () => {
  const cases = [
    [{}, '-'],
    [{ before: { plan: 'free', perMinute: 60 }, after: { plan: 'pro', perMinute: 60 } }, 'plan: free → pro'],
    [{ before: { name: null }, after: { name: 'till' } }, 'name: - → till'],
    [{ after: { name: null, scope: 'read' } }, 'scope: read'],
    [{ before: { name: 'Rex' } }, 'name: Rex'],
    [{ before: { name: null, scope: 'read', isOpen: false } }, 'scope: read, isOpen: false'],
    [{ after: { name: 'Rex' }, details: { name: 'Rex', count: 2 } }, 'name: Rex, count: 2'],
  ] as const
  for (const [entry, shown] of cases) assert.equal(formatFacts(entry), shown)
})
