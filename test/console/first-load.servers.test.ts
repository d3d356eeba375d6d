import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startOperatorService } from '../support/operator.ts'
import { IN_BROWSER } from '../support/servers/browser.ts'
import { buildConsoleVisit } from '../support/servers/console.ts'

// How much a browser loads before a screen can be used, as it is sent: compressed.

const MAX_BYTES = 200_000
/** What the page itself and each of its files took; the API's answers depend on the data. */
const LOADED = `performance.getEntries()
  .filter(({ entryType, name }) => entryType === 'navigation' || (entryType === 'resource' && !name.includes('/admin/')))
  .map(({ name, encodedBodySize, decodedBodySize }) => ({ name, sent: encodedBodySize, size: decodedBodySize }))`

interface Loaded {
  name: string
  sent: number
  size: number
}

const service = await startOperatorService({ after })
const visit = buildConsoleVisit({ after })

test('signing in and the first screen load 200 KB at most, compressed', IN_BROWSER, async t => {
  const page = await visit(t, service)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.waitForLoadState('networkidle')
  const loaded = (await page.evaluate(LOADED)) as Loaded[]
  const list = loaded.map(({ name, sent }) => `${sent} ${name}`).join('\n')
  assert.ok(loaded.length >= 4, list)
  const sent = loaded.reduce((sum, one) => sum + one.sent, 0)
  assert.ok(sent > 20_000 && sent <= MAX_BYTES, `${sent} bytes:\n${list}`)
  for (const { name, sent, size } of loaded.filter(one => one.size > 1_000))
    assert.ok(sent < size, `${name} is not compressed`)
  t.diagnostic(`${sent} bytes`)
})
