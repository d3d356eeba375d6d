import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../../test/support/folder.ts'
import type { Call } from '../http/call.ts'
import { buildOperatorSite, NO_SUCH_PATH } from './operator-site.ts'
import { placeholder } from './placeholders.ts'
import { buildPublicSite } from './public-site.ts'
import { PAGES_NOT_BUILT } from './site.ts'

test('without built pages, browsers are told how to get them, and programs get the same refusal as ever', async () => {
  const folder = new URL('file:///nonexistent/')
  const site = buildOperatorSite({ deployment: 'production', url: 'http://127.0.0.1:8081' }, folder)
  assert.deepEqual(site.routes, [])
  const refusalFor = (accept: string) =>
    site.notFound({ request: { method: 'GET', headers: { accept } }, target: { path: '/docs' } } as unknown as Call)
  const { status, page } = await refusalFor('text/html')
  assert.equal(status, 404)
  assert.equal(page?.body, `${PAGES_NOT_BUILT}\n`)
  assert.ok(page?.headers.includes('text/plain; charset=utf-8'))
  const refusal = await refusalFor('*/*')
  assert.equal(refusal.page, undefined)
  assert.equal(refusal.message, NO_SUCH_PATH)
})

test('a page gets the addresses of both deployments, and the example of one whose address is not known', async t => {
  const folder = await temporaryFolder(t)
  for (const part of ['shared', 'public']) await mkdir(join(folder, part))
  await writeFile(join(folder, 'built.json'), '{}')
  await writeFile(
    join(folder, 'public/llms.txt'),
    ['service', 'production', 'staging'].map(name => placeholder(name as 'service')).join(' '),
  )
  const production = 'https://animals.test/shop/v1'
  const staging = 'https://try.animals.test/v1'
  const textOf = async (
    deploymentUrls: { production?: string; staging?: string },
    deployment: 'production' | 'staging',
  ) => {
    const baseUrl = deploymentUrls[deployment] as string
    const addresses = { deployment, baseUrl, deploymentUrls }
    const { routes } = buildPublicSite(addresses, async () => ({}), pathToFileURL(`${folder}/`))
    const route = routes.find(({ path }) => path === '/llms.txt')
    const answer = await route?.operations.GET?.handle({ request: { headers: {} } } as unknown as Call)
    return String(answer?.body)
  }
  const both = 'https://animals.test/shop/ https://try.animals.test/'
  assert.equal(await textOf({ production, staging }, 'production'), `https://animals.test/shop/ ${both}`)
  assert.equal(await textOf({ production, staging }, 'staging'), `https://try.animals.test/ ${both}`)
  assert.equal(
    await textOf({ staging }, 'staging'),
    'https://try.animals.test/ https://petstore.example/ https://try.animals.test/',
  )
})
