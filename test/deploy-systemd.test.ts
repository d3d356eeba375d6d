import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

// The units of deploy/systemd. The wrapper that they run commands with is tried in deploy-systemd.servers.test.ts.

test('the backup has the same sandbox as the service, plus write access to the backup folder', async () => {
  const directivesOf = async (unit: string) => {
    const lines = (await readFile(new URL(`../deploy/systemd/${unit}`, import.meta.url), 'utf8')).split('\n')
    return lines.filter(line =>
      /^(?:Protect|Private|Restrict|NoNew|Capability|Lock|SystemCall|State|Cache|UMask|ReadWrite)/.test(line),
    )
  }
  const service = await directivesOf('petstore.service')
  assert.ok(service.length > 15)
  const added = new Set(await directivesOf('petstore-backup.service')).difference(new Set(service))
  assert.deepEqual([...added], ['ReadWritePaths=/var/backups/petstore'])
  assert.equal((await directivesOf('petstore-backup.service')).length, service.length + 1)
})
