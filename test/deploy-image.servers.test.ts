import assert from 'node:assert/strict'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { ROOT } from '../release/repository.ts'
import { imageEnvironment } from './support/dockerfile.ts'
import { contextFiles } from './support/image-context.ts'
import { buildContainer, useContainer } from './support/servers/container.ts'
import { needs } from './support/servers/needs.ts'
import { makeDatabase, noPostgres } from './support/servers/postgres.ts'
import { noRedis, sharedRedisUrl } from './support/servers/redis.ts'

// The image of the repository. That of an archive is built in release/release.servers.test.ts.

// It installs the packages of two stages.
test('the container starts, is healthy, serves calls, and stops cleanly', { timeout: 300_000 }, async t => {
  if (!needs(t, 'npm')) return
  const container = buildContainer(t, 'Dockerfile', { folder: ROOT, files: contextFiles() })

  await t.test('with all its code compiled', async () => {
    const env = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    const { stderr } = container.run(['petstore', 'version'], env, { stdio: ['ignore', 'ignore', 'pipe'] })
    const uses = (await text(stderr as Readable)).split('\n').filter(line => line.includes('/src/'))
    assert.ok(uses.some(line => line.includes('was accepted')))
    assert.deepEqual(
      uses.filter(line => /no transpile cache|was rejected/.test(line)),
      [],
    )
  })

  await t.test('with the embedded store, in a folder of its own', async t => {
    const before = listing(container.root)
    await useContainer(t, container, { PETSTORE_DATA: join(container.root, imageEnvironment().PETSTORE_DATA ?? '') })
    assert.deepEqual(listing(container.root), before, 'nothing is written beside the data')
  })

  await t.test('with PostgreSQL and Redis, and no folder at all', async t => {
    const missing = noPostgres ?? noRedis
    if (missing) return t.skip(missing)
    const database = await makeDatabase()
    try {
      await useContainer(t, container, {
        PETSTORE_DATABASE_URL: database.url,
        PETSTORE_REDIS_URL: await sharedRedisUrl(),
        PETSTORE_DATA: '/nonexistent',
      })
    } finally {
      await database.drop()
    }
  })
})

/** Everything in a container except its data: type, size and modification time. */
function listing(root: string): string[] {
  const data = join(root, imageEnvironment().PETSTORE_DATA ?? '')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map(path => join(root, path))
    .filter(path => path !== data && !path.startsWith(`${data}/`))
    .map(path => {
      const { mode, size, mtimeMs } = lstatSync(path)
      return `${path} ${mode} ${size} ${mtimeMs}`
    })
}
