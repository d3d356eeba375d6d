import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { revokeKey } from '../src/domain/administration/keys.ts'
import { PYTHON } from './samples/run-samples.ts'
import { eventually } from './support/eventually.ts'
import { CUT_BEFORE, CUT_IN_BODY, inTurn, refusal } from './support/faults.ts'
import { type FaultyProxy, startFaultyProxy } from './support/faulty-proxy.ts'
import { temporaryFolder } from './support/folder.ts'
import { packClient, run } from './support/packed-client.ts'
import { PYTHON_CLIENT } from './support/servers/python-client.ts'
import { startTestService } from './support/service.ts'

// The programs in examples/, each beside a real service and through what may happen to it.

const ROOT = join(import.meta.dirname, '..')
const EXAMPLES = { javascript: startJavaScript, python: startPython }
const packed = await packClient({ after })

for (const [language, prepare] of Object.entries(EXAMPLES)) {
  test(`the example in ${language} keeps its page through refusals, outages, restarts and a change of key`, async t => {
    const service = await startTestService(t)
    const { key, keyId, account } = await service.createCaller()
    await addAnimals(service.baseUrl, key, 150)
    const faults = [refusal(429, 'rate_limit_exceeded', 1), refusal(503, 'service_unavailable', 1), CUT_IN_BODY]
    const proxy = await startFaultyProxy(t, service.url, { choose: inTurn(undefined, ...faults) })
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'key'), `${key}\n`)
    const start = await prepare(folder, proxy)

    const first = await start(t)
    const page = await eventually(async () => await first.page(200))
    assert.match(page, /<h1>150 animals<\/h1>/)
    assert.match(page, /<tr><td>1<td>Rex &(lt|#60);1&(gt|#62); &(amp|#38); Co<td>available/)
    assert.ok(proxy.requests.every(({ status }) => status !== 401))
    assert.deepEqual(
      proxy.requests.slice(1, 4).map(({ fault }) => fault),
      faults,
    )

    await addAnimals(service.baseUrl, key, 1)
    await eventually(async () => assert.match(await first.page(200), /<h1>151 animals/))

    proxy.choose = () => CUT_BEFORE
    const seen = proxy.requests.length
    await eventually(() => assert.ok(proxy.requests.length > seen, 'a copy is attempted'))
    assert.match(await first.page(200), /<h1>151 animals/)
    await first.kill()
    const second = await start(t)
    assert.match(await second.page(200), /<h1>151 animals/, 'the file has the last copy')

    await revokeKey(service.adminContext(), String(keyId))
    proxy.choose = () => undefined
    await eventually(() => assert.match(second.errors(), /invalid_api_key|ApiKeyError/))
    assert.match(await second.page(200), /<h1>151 animals/)
    const other = await service.issueKey(account)
    await addAnimals(service.baseUrl, other.key, 1)
    await writeFile(join(folder, 'key'), other.key)
    await eventually(async () => assert.match(await second.page(200), /<h1>152 animals/))
  })

  test(`the example in ${language} uses another key while the first must still wait for hours`, async t => {
    const service = await startTestService(t)
    const { key, account } = await service.createCaller()
    const choose = () => refusal(429, 'rate_limit_exceeded', 3_600)
    const proxy = await startFaultyProxy(t, service.url, { choose })
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'key'), key)
    const program = await (await prepare(folder, proxy))(t)
    await eventually(() => assert.match(program.errors(), /rate_limit_exceeded|RateLimitError/))
    proxy.choose = () => undefined
    await writeFile(join(folder, 'key'), (await service.issueKey(account)).key)
    await eventually(async () => assert.match(await program.page(200), /<h1>0 animals/))
  })

  test(`the example in ${language} starts without a copy, or with a file that is damaged`, async t => {
    const service = await startTestService(t)
    const { key } = await service.createCaller()
    const proxy = await startFaultyProxy(t, service.url, { choose: () => CUT_BEFORE })
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'key'), key)
    await writeFile(join(folder, 'animals.json'), '{"animals":[')
    const program = await (await prepare(folder, proxy))(t)
    assert.match(await program.page(503), /no copy/)
    assert.match(program.errors(), /animals\.json is not used/)
    proxy.choose = () => undefined
    await eventually(async () => assert.match(await program.page(200), /<h1>0 animals/))
  })
}

interface Program {
  /** Its page. @throws if it has another status */
  page(status: number): Promise<string>
  errors(): string
  kill(): Promise<void>
}

type Start = (t: TestContext) => Promise<Program>

/** In a project of its own, into which the client is installed as a partner does. */
async function startJavaScript(folder: string, proxy: FaultyProxy): Promise<Start> {
  const project = join(folder, 'project')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{"type":"module","private":true}')
  await run('npm', ['install', packed.tarball], project)
  await copyFile(join(ROOT, 'examples/javascript/animals-page.js'), join(project, 'animals-page.js'))
  return t => startProgram(t, process.execPath, join(project, 'animals-page.js'), folder, proxy)
}

async function startPython(folder: string, proxy: FaultyProxy): Promise<Start> {
  const PYTHONPATH = join(PYTHON_CLIENT, 'src')
  return t => startProgram(t, PYTHON, join(ROOT, 'examples/python/animals_page.py'), folder, proxy, { PYTHONPATH })
}

async function startProgram(
  t: TestContext,
  program: string,
  file: string,
  folder: string,
  proxy: FaultyProxy,
  variables: Record<string, string> = {},
): Promise<Program> {
  const env = {
    PATH: process.env.PATH,
    PETSTORE_URL: `${proxy.url}/v1`,
    PETSTORE_KEY_FILE: join(folder, 'key'),
    PORT: '0',
    REFRESH_SECONDS: '1',
    ...variables,
  }
  const child: ChildProcess = spawn(program, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  let [output, errors] = ['', '']
  child.stdout?.on('data', text => {
    output += text
  })
  child.stderr?.on('data', text => {
    errors += text
  })
  const url = await eventually(() => {
    const [found] = /^http:\S+$/m.exec(output) ?? []
    assert.ok(found, errors)
    return found
  })
  return {
    async page(status) {
      const answer = await fetch(url)
      assert.equal(answer.status, status, errors)
      return answer.text()
    },
    errors: () => errors,
    kill,
  }
}

async function addAnimals(baseUrl: string, key: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const answer = await fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: `Rex <${number}> & Co`, categoryId: 1 }),
    })
    assert.equal(answer.status, 201)
  }
}
