import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { environment } from './support/command-line.ts'
import { temporaryFolder } from './support/folder.ts'

const LIVE = fileURLToPath(new URL('../deploy/live.js', import.meta.url))

test('the health check of the container finds its settings where the service does', async t => {
  const { PETSTORE_ENV_FILE: _, ...inherited } = environment({})
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cwd = await temporaryFolder(t)
  const codeWith = async (own: NodeJS.ProcessEnv) => {
    const [code] = await once(spawn(process.execPath, [LIVE], { cwd, env: { ...inherited, ...own } }), 'exit')
    return code
  }
  await writeFile(join(cwd, 'petstore.env'), `# The port.\nPETSTORE_OPERATOR_PORT=${port}\n`)
  await writeFile(join(cwd, 'other.env'), 'PETSTORE_OPERATOR_PORT=1\n')
  assert.equal(await codeWith({}), 0)
  assert.equal(await codeWith({ PETSTORE_ENV_FILE: 'other.env' }), 1)
  assert.equal(await codeWith({ PETSTORE_ENV_FILE: 'other.env', PETSTORE_OPERATOR_PORT: String(port) }), 0)
  assert.equal(await codeWith({ PETSTORE_ENV_FILE: '', PETSTORE_OPERATOR_PORT: String(port) }), 0)
})
