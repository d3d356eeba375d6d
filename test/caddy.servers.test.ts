import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseEnv, promisify } from 'node:util'
import { startServe } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { HANDBOOK } from './support/handbook.ts'
import { needs } from './support/servers/needs.ts'
import { findFreePort } from './support/servers/private-server.ts'

// The lines of the handbook for Caddy, with certificates of Caddy's own authority. Only the ports are others.

const NAME = 'pets.example.com'

test("with the handbook's lines for Caddy, callers reach the service by HTTPS, and only so", async t => {
  if (!needs(t, 'caddy') || !needs(t, 'curl')) return
  const { PETSTORE_DATA: _, ...settings } = parseEnv(blockOf('ini')) as Record<string, string>
  const service = await startServe(t, settings)
  const key = await service.store.issueKey()
  const { curl, port, plainPort } = await startCaddy(t, new URL(service.url).host)
  const authorized = ['--header', `Authorization: Bearer ${key}`]
  const animal = ['--json', '{"name":"Rex","categoryId":1}']

  const created = await curl(`https://${NAME}:${port}/v1/pets`, ...authorized, ...animal)
  assert.match(created, /^HTTP\/\S+ 201 /)
  assert.match(created, /^location: https:\/\/pets\.example\.com\/v1\/pets\/1\r$/im)
  for (const caller of ['127.0.0.8', '127.0.0.9']) {
    const answer = await curl(`https://${NAME}:${port}/v1/pets`, '--interface', caller)
    assert.match(answer, /^x-ratelimit-remaining: 599\r$/im, 'counted by the address of the caller, not of Caddy')
  }

  const page = await curl(`http://${NAME}:${plainPort}/docs?a=1`)
  assert.match(page, /^HTTP\/\S+ 302 /)
  assert.match(page, /^location: https:\/\/pets\.example\.com\/docs\?a=1\r$/im)
  const refused = await curl(`http://${NAME}:${plainPort}/v1/pets`, ...authorized, ...animal)
  assert.match(refused, /^HTTP\/\S+ 403 /)
  assert.equal((await service.store.json('pet', 'list')).length, 1)
  assert.equal((await service.store.with(settings).run('doctor')).code, 0)
})

/** Runs Caddy until the end of the test. `curl` returns the head and the body of a response. */
async function startCaddy(t: TestContext, service: string) {
  const [port, plainPort] = [await findFreePort(), await findFreePort()]
  const folder = await temporaryFolder(t)
  const block = blockOf('caddyfile')
  assert.match(block, / 127\.0\.0\.1:8080\n/)
  const options = ['admin off', 'local_certs', 'skip_install_trust', `http_port ${plainPort}`, `https_port ${port}`]
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `{\n${options.join('\n')}\n}\n${block.replace('127.0.0.1:8080', service)}`)
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const resolved = [port, plainPort].flatMap(one => ['--resolve', `${NAME}:${one}:127.0.0.1`])
  const trusted = ['--cacert', join(folder, 'caddy/pki/authorities/local/root.crt')]
  const curl = async (...args: string[]) => {
    const common = ['--silent', '--show-error', '--include', ...resolved, ...trusted]
    return (await promisify(execFile)('curl', [...common, ...args])).stdout
  }
  await eventually(() => curl(`https://${NAME}:${port}/docs`))
  return { curl, port, plainPort }
}

/** The only block of the handbook in this language that names the host. */
function blockOf(language: string): string {
  const found = [...HANDBOOK.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(
    ([, word, block = '']) => word === language && block.includes(NAME),
  )
  assert.equal(found.length, 1, language)
  return found[0]?.[2] ?? ''
}
