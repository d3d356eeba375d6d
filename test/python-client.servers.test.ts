import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { unzipSync } from 'fflate'
import { PetstoreClient } from '../client/src/index.ts'
import type { Pet } from '../src/domain/pet.ts'
import type { Store } from '../src/domain/store.ts'
import { PYTHON } from './samples/run-samples.ts'
import { fastClock, runWith } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { FAULTS, sometimes } from './support/faults.ts'
import { startFaultyProxy } from './support/faulty-proxy.ts'
import { temporaryFolder } from './support/folder.ts'
import { seededRandom } from './support/random.ts'
import { needs, skip } from './support/servers/needs.ts'
import {
  buildWithHatchling,
  canImport,
  createFromPython,
  installWheel,
  makeEnvironment,
  PYTHON_CLIENT,
  runPython,
  writeWheel,
} from './support/servers/python-client.ts'
import { startTestService } from './support/service.ts'

// The Python client as partners get it: a wheel, installed into an empty environment without a network.

const lacking = ['hatchling', 'ensurepip', 'mypy'].find(module => !canImport(module))
const wheel = await writeWheel({ after })
const python = lacking ? '' : await makeEnvironment({ after })
if (!lacking) await installWheel(python, wheel)

describe('the Python client', { concurrency: false }, () => {
  test('is a wheel for any platform, typed, and without dependencies', async t => {
    if (!isInstalled(t)) return
    assert.match(basename(wheel), /^petstore_client-\d+\.\d+\.\d+(\.dev0)?-py3-none-any\.whl$/)
    const { stdout } = await runPython(PYTHON, ['-m', 'zipfile', '--list', wheel], '/')
    const files: readonly string[] = stdout.match(/^\S+(?= )/gm) ?? []
    for (const file of ['petstore_client/__init__.py', 'petstore_client/py.typed'])
      assert.ok(files.includes(file), file)
    assert.ok(
      files.some(file => file.endsWith('LICENSE')),
      stdout,
    )
    const others = files.filter(file => !/^(?:File|petstore_client[/-])/.test(file))
    assert.deepEqual(others, [])
    const required = ['-c', 'from importlib.metadata import requires; print(requires("petstore-client"))']
    assert.equal((await runPython(python, required, '/')).stdout, 'None\n')
  })

  test('is the same wheel that hatchling builds from pyproject.toml', async t => {
    if (!isInstalled(t)) return
    assert.deepEqual(await describeWheel(wheel), await describeWheel(await buildWithHatchling(t)))
  })

  test('passes its own tests', async t => {
    if (!isInstalled(t) || !needs(t, 'openssl')) return
    const options = ['-W', 'error::ResourceWarning', '-m', 'unittest', '--quiet']
    const { stderr } = await runPython(python, options, PYTHON_CLIENT, { PYTHONDONTWRITEBYTECODE: '1' })
    assert.match(stderr, /^Ran \d{2,} tests in [\d.]+s\n\nOK$/m)
  })

  test('passes the strictest type checks, and so do programs that use it', async t => {
    if (!isInstalled(t)) return
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'program.py'), PROGRAM)
    const mypy = ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'cache')]
    await runPython(PYTHON, [...mypy, '--python-version', '3.10', 'src', 'tests/support', 'generate.py'], PYTHON_CLIENT)
    await runPython(PYTHON, [...mypy, '--warn-unused-ignores', '--python-executable', python, 'program.py'], folder)
  })

  for (const { callers, threads } of [
    { callers: '32 threads', threads: 32 },
    { callers: '2,000 tasks', threads: 0 },
  ])
    test(`creates each animal once in 2,000 creations by ${callers} on a small plan with faults, and earns no ban`, async t => {
      if (!isInstalled(t)) return
      const speed = 60
      const { service, key, proxy, clock } = await startBehindProxy(t, speed, 600)
      const startedAt = clock.now()
      const names = namesOf(2_000)
      const plan = { baseUrl: `${proxy.url}/v1`, apiKey: key, names, threads, speed, timeout: 3_600 }
      const { created, errors } = await createFromPython(python, plan)
      const minutes = (clock.now() - startedAt) / 60_000
      const refused = proxy.requests.filter(({ status, fault }) => status === 429 && fault?.kind !== 'answer').length
      t.diagnostic(`${proxy.requests.length} requests in ${minutes.toFixed(1)} minutes; the service refused ${refused}`)
      assert.deepEqual(errors, [])
      await assertCreatedOnce(service.store, created, names)
      assert.deepEqual(await service.store.listBans(), [])
      assert.ok(minutes > names.length / 600 - 1, 'the limit held')
      assert.ok(refused <= names.length / 100, 'what would be refused is not sent')
      for (const fault of FAULTS) assert.ok(proxy.requests.some(request => request.fault === fault))
    })

  test('in two processes that share a key, against the advice, creates each animal once and earns no ban', async t => {
    if (!isInstalled(t)) return
    const speed = 10
    const { service, key, proxy } = await startBehindProxy(t, speed, 120)
    const names = namesOf(200)
    const results = await Promise.all(
      [0, 1].map(half =>
        createFromPython(python, {
          baseUrl: `${proxy.url}/v1`,
          apiKey: key,
          names: names.filter((_, index) => index % 2 === half),
          threads: 4,
          speed,
          timeout: 3_600,
        }),
      ),
    )
    assert.deepEqual(
      results.flatMap(({ errors }) => errors),
      [],
    )
    await assertCreatedOnce(service.store, { ...results[0]?.created, ...results[1]?.created }, names)
    assert.deepEqual(await service.store.listBans(), [])
  })

  test('creates each animal once while the service is restarted', async t => {
    if (!isInstalled(t)) return
    const service = await startTestService(t, { config: { logLevel: 'error' } })
    const { key } = await service.createCaller()
    const names = namesOf(1_500)
    const calling = createFromPython(python, {
      baseUrl: `${service.url}/v1`,
      apiKey: key,
      names,
      threads: 8,
      speed: 1,
      timeout: 300,
    })
    await eventually(async () => assert.ok((await countPets(service.store)) > 200), 5)
    await service.close()
    const { port } = service
    const again = await service.startAnother({ config: { logLevel: 'error', port } })
    const before = await countPets(again.store)
    assert.ok(before < names.length, `${before} animals were created before the restart`)
    const { created, errors } = await calling
    assert.deepEqual(errors, [])
    await assertCreatedOnce(again.store, created, names)
  })

  test('sends the same bytes as the TypeScript client, so that each can repeat a creation of the other', async t => {
    if (!isInstalled(t)) return
    const service = await startTestService(t)
    const { key: apiKey } = await service.createCaller()
    const baseUrl = `${service.url}/v1`
    const client = new PetstoreClient({ baseUrl, apiKey })
    const name = 'Ré "\\" \u2028 🐕'
    const input = { name, categoryId: 9_223_372_036_854_775_807n, status: 'sold' } as const
    const { id } = await client.pets.create(input, { idempotencyKey: 'one' })
    const program = `import sys
from petstore_client import Petstore
url, key, name = sys.argv[1:]
pets = Petstore(base_url=url, api_key=key).pets
print(pets.create(name=name, category_id=2**63 - 1, status='sold', idempotency_key='one').id)`
    const { stdout } = await runPython(python, ['-c', program, baseUrl, apiKey, name], '/')
    assert.equal(stdout, `${id}\n`)
  })
})

/** A typed program: what a wrong use of it is marks \`# type: ignore\`, which would be unused otherwise. */
const PROGRAM = `from __future__ import annotations

from datetime import datetime
from typing import List, Optional

from petstore_client import (
    AsyncPetPage,
    AsyncPetstore,
    ErrorCode,
    Pet,
    PetPage,
    Petstore,
    PetstoreClient,
    RateLimitError,
    WaitEvent,
)


def on_wait(event: WaitEvent) -> None:
    wait: float = event.wait
    print(wait)


async def use(asynchronous: AsyncPetstore) -> None:
    async with asynchronous as petstore:
        created: Pet = await petstore.pets.create(name='Mimi', category_id=7)
        first: AsyncPetPage = await petstore.pets.list(limit=1)
        second: Optional[AsyncPetPage] = await first.next_page()
        all_ids: List[int] = [pet.id async for pet in petstore.pets.list(limit=1)]
        rest: List[int] = [pet.id async for pet in first]
        petstore.pets.create(name='Mimi', category_id=7).id  # type: ignore[attr-defined]


client: Petstore = PetstoreClient(base_url='https://petstore.example/v1', api_key='key', on_wait=on_wait)
pet: Pet = client.pets.create(name='Mimi', category_id=7, status='sold')
page: PetPage = client.pets.list(status='sold', limit=1)
ids: List[int] = [pet.id for pet in page]
code: ErrorCode = 'rate_limit_exceeded'
following: Optional[PetPage] = page.next_page()
remaining: Optional[int] = client.rate_limit.remaining if client.rate_limit else None
client.pets.create(name='Mimi')  # type: ignore[call-arg]
client.pets.create(name='Mimi', category_id=7, status='lost')  # type: ignore[arg-type]
pet.name = 'Rex'  # type: ignore[misc]
try:
    client.pets.list()
except RateLimitError as error:
    retry_at: datetime = error.retry_at
`

function isInstalled(t: TestContext): boolean {
  return !lacking || skip(t, `${lacking} is not installed for ${PYTHON}`)
}

/** A service and a client whose clocks run so many times as fast as others, and faults between them. */
async function startBehindProxy(t: TestContext, speed: number, perMinute: number) {
  const service = await startTestService(t, { config: { logLevel: 'error' } })
  const clock = fastClock(speed)
  runWith(service, clock)
  const { key } = await service.createCaller({ limits: { perMinute } })
  const choose = sometimes(0.05, FAULTS, seededRandom(5))
  return { service, key, clock, proxy: await startFaultyProxy(t, service.url, { choose, now: () => clock.now() }) }
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `animal ${index + 1}`)
}

async function assertCreatedOnce(
  store: Store,
  created: Record<string, string>,
  names: readonly string[],
): Promise<void> {
  const pets = await petsOf(store)
  assert.equal(pets.length, names.length)
  assert.deepEqual(Object.fromEntries(pets.map(({ name, id }) => [name, String(id)])), created)
  assert.deepEqual(Object.keys(created).toSorted(), names.toSorted())
}

async function countPets(store: Store): Promise<number> {
  return (await petsOf(store)).length
}

async function petsOf(store: Store): Promise<readonly Pet[]> {
  return (await store.listPets({ status: undefined, afterId: 0n, limit: 10_000 })).pets
}

/** What must be equal in wheels of different builders: the files, and what the metadata say. */
async function describeWheel(file: string) {
  const files = Object.entries(unzipSync(await readFile(file)))
  const textOf = (name: string) => Buffer.from(files.find(([path]) => path.endsWith(name))?.[1] ?? []).toString()
  const [head = '', ...description] = textOf('/METADATA').split('\n\n')
  return {
    contents: files.flatMap(([path, body]) =>
      /\.dist-info\/[A-Z]+$/.test(path) ? [] : [`${path} ${hash('sha256', body)}`],
    ),
    names: files.map(([path]) => path).toSorted(),
    metadata: head
      .split('\n')
      .filter(line => !line.startsWith('Metadata-Version:'))
      .toSorted(),
    description: description.join('\n\n'),
    wheel: textOf('/WHEEL')
      .split('\n')
      .filter(line => !line.startsWith('Generator:'))
      .toSorted(),
  }
}
