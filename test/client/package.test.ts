import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import manifest from '../../client/package.json' with { type: 'json' }
import { temporaryFolder } from '../support/folder.ts'
import { packClient, run } from '../support/packed-client.ts'
import { startTestService } from '../support/service.ts'

// The published package, installed into an empty project without a network.

const service = await startTestService({ after })
const { key } = await service.createCaller()
const packed = await packClient({ after })
const project = await startProject()

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

test('an empty project can use it from JavaScript', async () => {
  await writeFile(
    join(project, 'use.js'),
    `import { NotFoundError, PetstoreClient } from '@petstore/client'

const client = new PetstoreClient({ apiKey: process.env.KEY, baseUrl: process.env.URL })
const pet = await client.pets.create({ name: 'Rex', categoryId: 9223372036854775807n })
for await (const { id, name, categoryId, status } of client.pets.list({ limit: 1 })) console.log(id, name, categoryId, status)
await client.pets.get(pet.id + 1n).catch(error => console.log(error instanceof NotFoundError, error.code))
console.log(client.rateLimit.limit)
`,
  )
  assert.equal(await runNode('use.js'), '1n Rex 9223372036854775807n available\ntrue pet_not_found\n1000000\n')
})

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
  await run('tsc', ['--project', project], project)
  assert.equal(await runNode('built/use.js'), '2n true 7n undefined rate_limit_exceeded undefined\n')
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
