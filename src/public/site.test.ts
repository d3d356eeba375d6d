import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../../test/support/folder.ts'
import type { Call } from '../http/call.ts'
import { placeholder } from '../pages/placeholders.ts'
import { buildPublicSite } from './site.ts'

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
    publicUrls: { production?: string; staging?: string },
    deployment: 'production' | 'staging',
  ) => {
    const addresses = { deployment, baseUrl: publicUrls[deployment] as string, publicUrls }
    const { routes } = buildPublicSite(addresses, pathToFileURL(`${folder}/`))
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
