import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../http/call.ts'
import { buildSite, PAGES_NOT_BUILT } from './site.ts'

test('without built pages, browsers are told how to get them, and programs get the same refusal as ever', async () => {
  const folder = new URL('file:///nonexistent/')
  const site = buildSite({ part: 'operator', values: {}, notFoundMessage: 'This path does not exist.', folder })
  assert.deepEqual(site.routes, [])
  const refusalFor = (accept: string) =>
    site.notFound({ request: { method: 'GET', headers: { accept } }, target: { path: '/docs' } } as unknown as Call)
  const { status, page } = await refusalFor('text/html')
  assert.equal(status, 404)
  assert.equal(page?.body, `${PAGES_NOT_BUILT}\n`)
  assert.ok(page?.headers.includes('text/plain; charset=utf-8'))
  const refusal = await refusalFor('*/*')
  assert.equal(refusal.page, undefined)
  assert.equal(refusal.message, 'This path does not exist.')
})
