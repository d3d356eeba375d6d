import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { temporaryFolder } from './support/folder.ts'
import { textOf } from './support/html.ts'
import { run } from './support/packed-client.ts'
import { needs, skip } from './support/servers/needs.ts'
import { canImport, installWheel, makeEnvironment, runPython } from './support/servers/python-client.ts'
import { startTestService } from './support/service.ts'

// What a partner copies from the page of the clients, run in an empty folder, without any registry.

const service = await startTestService({ after })
const { key } = await service.createCaller()
const samples = await readSamples()
const python = canImport('ensurepip') ? await makeEnvironment({ after }) : ''
await addAnimal('Rex')
const variables = { PETSTORE_URL: service.baseUrl, PETSTORE_API_KEY: key }

test('npm installs the client for TypeScript from the service, and the sample lists the animals', async t => {
  if (!needs(t, 'npm')) return
  const project = await temporaryFolder(t)
  await writeFile(join(project, 'package.json'), '{ "private": true }')
  const [npm = '', ...args] = sampleWith('npm install').split(' ')
  await run(npm, args, project, { npm_config_offline: 'false', npm_config_cache: join(project, 'cache') })
  await writeFile(join(project, 'list.mjs'), sampleWith('@petstore/client'))
  assert.equal((await run(process.execPath, ['list.mjs'], project, variables)).stdout, '1n Rex\n')
})

test('pip refuses a file with another sum', async t => {
  if (!hasPip(t)) return
  const address = addressIn(sampleWith('pip install')).replace(/sha256=.{8}/, 'sha256=00000000')
  await assert.rejects(installWheel(python, address), /do not match the hashes/i)
})

test('pip installs the client for Python from the service, and both samples list the animals', async t => {
  if (!hasPip(t)) return
  await installWheel(python, addressIn(sampleWith('pip install')))
  for (const sample of [sampleWith('import Petstore\n'), sampleWith('import AsyncPetstore\n')])
    assert.equal((await runPython(python, ['-c', sample], '/', variables)).stdout, '1 Rex\n')
})

function hasPip(t: TestContext): boolean {
  return python !== '' || skip(t, 'python3-venv is not installed')
}

/** The code on the page. */
async function readSamples(): Promise<string[]> {
  const page = await (await fetch(`${service.url}/clients/`)).text()
  return [...page.matchAll(/<pre[^>]*><code>(.*?)<\/code><\/pre>/gs)].map(([, html = '']) => textOf(html))
}

function sampleWith(text: string): string {
  return samples.find(sample => sample.includes(text)) ?? assert.fail(`The page has no sample with ${text}.`)
}

/** Of the line for pip, as a shell would pass it on. */
function addressIn(line: string): string {
  return /'(.+)'/.exec(line)?.[1] ?? assert.fail(line)
}

async function addAnimal(name: string): Promise<void> {
  const response = await fetch(`${service.baseUrl}/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  })
  assert.equal(response.status, 201)
}
