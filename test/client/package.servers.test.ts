import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import manifest from '../../client/package.json' with { type: 'json' }
import { TSC } from '../../tools/typescript.ts'
import { CUT_AFTER, inTurn, refusal } from '../support/faults.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { packClient, run } from '../support/packed-client.ts'
import { startTestService } from '../support/service.ts'

// The published package, installed into an empty project without a network.

const service = await startTestService({ after })
const { key } = await service.createCaller()
const packed = await packClient({ after })
const project = await startProject()

/** This Node, and the runtimes in PETSTORE_TEST_RUNTIMES, such as `/usr/bin/node, bun, deno run -A`. */
const RUNTIMES = [process.execPath, ...(process.env.PETSTORE_TEST_RUNTIMES?.split(/, */) ?? [])]

const USE = `import { NetworkError, NotFoundError, PetstoreClient } from '@petstore/client'

const watched = []
let sentAt
const client = new PetstoreClient({
  apiKey: process.env.KEY,
  baseUrl: process.env.URL,
  onRequest({ attempt }) {
    watched.push('sent ' + attempt)
    sentAt = Date.now()
  },
  onResponse: ({ status, error }) => watched.push([status, error?.code].join(' ')),
  onWait({ error, until }) {
    const isLongEnough = until - sentAt >= 1_000
    watched.push(error.code === 'network_error' ? error.code : [error.code, isLongEnough].join(' '))
  },
})
const pet = await client.pets.create({ name: 'Rex', categoryId: 9223372036854775807n })
console.log(JSON.stringify(watched))
// Platforms without JSON.rawJSON write integers that they would round as strings.
const asNumbers = json => (JSON.rawJSON ? json : json.replace(/"(\\d{19})"/, '$1'))
for await (const pet of client.pets.list({ limit: 1 })) console.log(asNumbers(JSON.stringify(pet)))
console.log(String(pet.id), String(pet.categoryId))
await client.pets.get(pet.id + 1n).catch(error => console.log(error instanceof NotFoundError, error.code))
await client.pets.list({ signal: AbortSignal.abort(new Error('stopped')) }).catch(error => console.log(error.message))
console.log(client.rateLimit.limit)

const { origin } = new URL(process.env.URL)
const failureAt = baseUrl => new PetstoreClient({ apiKey: process.env.KEY, baseUrl }).pets.list().catch(error => error)
console.log((await failureAt(origin)).message)
const unreachable = await failureAt('http://127.0.0.1:9/v1')
console.log(unreachable instanceof NetworkError, unreachable.message.startsWith('http://127.0.0.1:9/v1 could not be reached: '))
`

const USED = `["sent 1"," network_error","network_error","sent 2","503 service_unavailable","service_unavailable true","sent 3","201 "]
{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}
1 9223372036854775807
true pet_not_found
stopped
1000000
Nothing is at this path; the API is described at /docs. baseUrl is URL; did you mean URL/v1?
true true
`

test('the package contains the build, manifest, README and license, and has no dependencies', () => {
  const others = packed.files.filter(
    path => !/^(?:dist\/[a-z0-9-]+\.(?:js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(path),
  )
  assert.deepEqual(others, [])
  for (const path of ['dist/index.js', 'dist/index.d.ts', 'package.json', 'README.md', 'LICENSE'])
    assert.ok(packed.files.includes(path), path)
  assert.deepEqual(
    Object.keys(manifest).filter(member => /dependencies$/i.test(member)),
    [],
  )
})

for (const runtime of RUNTIMES) {
  test(`an empty project can use it from JavaScript, with ${runtime}`, async t => {
    const service = await startTestService(t)
    const { key } = await service.createCaller()
    const proxy = await startFaultyProxy(t, service.url, {
      choose: inTurn(CUT_AFTER, refusal(503, 'service_unavailable', 1)),
    })
    await writeFile(join(project, 'use.js'), USE)
    const [program = '', ...args] = runtime.split(' ')
    const { stdout } = await run(program, [...args, 'use.js'], project, { KEY: key, URL: `${proxy.url}/v1` })
    assert.equal(stdout, USED.replaceAll('URL', proxy.url))
    const versions = new Set(proxy.requests.map(({ userAgent }) => userAgent))
    assert.deepEqual([...versions], [`petstore-client-js/${manifest.version}`])
  })
}

test('an empty project can use it from strict TypeScript', async () => {
  await writeFile(
    join(project, 'use.ts'),
    `import { type ErrorCode, type Pet, type PetPage, PetstoreClient, RateLimitError } from '@petstore/client'

const client = new PetstoreClient({ apiKey: variable('KEY'), baseUrl: new URL(variable('URL')) })
const pet: Pet = await client.pets.create({ name: 'Mimi', categoryId: 7, status: 'sold' })
const page: PetPage = await client.pets.list({ status: 'sold', limit: 1, signal: AbortSignal.timeout(10_000) })
const ids: bigint[] = page.pets.map(({ id }) => id)
const code: ErrorCode = 'rate_limit_exceeded'
// @ts-expect-error: an id may have more digits than a number can hold
const id: number = pet.id
const retryAt: Date | undefined = new Error() instanceof RateLimitError ? client.rateLimit?.resetAt : undefined
console.log(id, ids[0] === pet.id, pet.categoryId, page.nextCursor, code, retryAt)

function variable(name: string): string {
  // @ts-ignore: this project has no types of Node
  return process.env[name] ?? ''
}
`,
  )
  await run(process.execPath, [TSC, '--project', project], project)
  assert.equal(await runNode('built/use.js'), '1n true 7n undefined rate_limit_exceeded undefined\n')
})

test('the packed types deprecate exactly what the document deprecates', async () => {
  const types = await readFile(join(project, 'node_modules/@petstore/client/dist/pets.d.ts'), 'utf8')
  const documented = types.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s*(?:readonly )?(\w+)/gs)
  const deprecated = [...documented].filter(([, text]) => text?.includes('@deprecated')).map(([, , name]) => name)
  assert.deepEqual(deprecated, ['get'])
})

/** An empty project with only this package. */
async function startProject(): Promise<string> {
  const folder = await temporaryFolder({ after })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'partner', private: true, type: 'module' }))
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    types: [],
    outDir: 'built',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
  await run('npm', ['install', '--offline', packed.tarball], folder)
  return folder
}

async function runNode(file: string): Promise<string> {
  const env = { KEY: key, URL: `${service.url}/v1` }
  return (await run(process.execPath, [file], project, env)).stdout
}
