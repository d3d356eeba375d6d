import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { partialFile } from '../src/files/partial-file.ts'
import { type Ending, environment, PROGRAM, petstore } from './support/command-line.ts'
import { temporaryFolder } from './support/folder.ts'
import { skip } from './support/servers/needs.ts'

// Commands of root in the folder of another user, who then uses the store.

const OWNER = { uid: 65_534, gid: 65_534 }
const ANY_PORTS = { PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' }

test('the owner of an empty folder can use the store that root creates in it', async t => {
  if (!isRoot(t)) return
  const { folder, env } = await makeFolder(t)
  assert.equal((await petstore(['account', 'create', 'acme', '--plan', 'free'], env)).code, 0)
  assertOwned(folder)
  assert.equal((await runAsOwner(['account', 'create', 'other', '--plan', 'free'], env)).stderr, '')
  await serveAsOwner(t, env)
})

test('the owner of a folder can use the store that root restores, and the backup that root writes', async t => {
  if (!isRoot(t)) return
  const { folder, env } = await makeFolder(t)
  const backup = join(folder, 'backup.db')
  assert.equal((await runAsOwner(['account', 'create', 'acme', '--plan', 'free'], env)).code, 0)
  assert.equal((await petstore(['backup', backup], env)).code, 0)
  assert.equal((await petstore(['restore', backup, '--force'], env)).code, 0)
  assertOwned(folder)
  await serveAsOwner(t, env)
  assert.equal((await runAsOwner(['restore', backup, '--force'], env)).stderr, '')
})

test('the owner of a folder can serve after root has served', async t => {
  if (!isRoot(t)) return
  const { folder, env } = await makeFolder(t)
  await serve(t, env, {})
  assertOwned(folder)
  await serveAsOwner(t, env)
})

test('a backup that root writes elsewhere belongs to root', async t => {
  if (!isRoot(t)) return
  const { env } = await makeFolder(t)
  assert.equal((await petstore(['account', 'create', 'acme', '--plan', 'free'], env)).code, 0)
  const place = await temporaryFolder(t)
  chownSync(place, 1, 1)
  assert.equal((await petstore(['backup', join(place, 'b.db')], env)).code, 0)
  assert.equal(statSync(join(place, 'b.db')).uid, 0, 'of a folder of another user than that of the store')
})

test('a command of the owner keeps the unfinished file of a process of root that is running', async t => {
  if (!isRoot(t)) return
  const { folder, env } = await makeFolder(t)
  assert.equal((await runAsOwner(['account', 'create', 'acme', '--plan', 'free'], env)).code, 0)
  const unfinished = partialFile(join(folder, 'pets.csv'))
  writeFileSync(unfinished, '')
  assert.equal((await runAsOwner(['backup', join(folder, 'backup.db')], env)).code, 0)
  assert.ok(existsSync(unfinished))
})

test('an unfinished file of root that the owner may not remove does not keep the owner from writing beside it', async t => {
  if (!isRoot(t)) return
  const { env } = await makeFolder(t)
  assert.equal((await runAsOwner(['account', 'create', 'acme', '--plan', 'free'], env)).code, 0)
  // As /tmp.
  const place = await temporaryFolder(t)
  chmodSync(place, 0o1777)
  const { pid } = spawnSync('true')
  writeFileSync(partialFile(join(place, 'pets.csv')).replace(`-${process.pid}-`, `-${pid}-`), '')
  const { code, stderr } = await runAsOwner(['backup', join(place, 'backup.db')], env)
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
})

test('a restore that refuses to replace a store leaves nothing behind', async t => {
  const folder = await temporaryFolder(t)
  writeFileSync(join(folder, 'petstore.db'), 'anything')
  const source = join(await temporaryFolder(t), 'source')
  const env = { PETSTORE_DATA: source }
  assert.equal((await petstore(['account', 'create', 'acme', '--plan', 'free'], env)).code, 0)
  const ending = await petstore(['restore', join(source, 'petstore.db')], { PETSTORE_DATA: folder })
  assert.match(ending.stderr, /already exists; add --force/)
  assert.deepEqual(readdirSync(folder), ['petstore.db'])
})

test('the start names the owner of a file that it cannot open, and the command that repairs it, which works as pasted', async t => {
  if (!isRoot(t)) return
  const { folder, env } = await makeFolder(t, "it's data")
  assert.equal((await runAsOwner(['account', 'create', 'acme', '--plan', 'free'], env)).code, 0)
  await serveAsOwner(t, env)
  for (const [name, mode, uid, owner] of [
    ['serving.lock', 0o644, 0, 'root'],
    ['petstore.db', 0o600, 1, 'the user with the id 1'],
  ] as const) {
    const file = join(folder, name)
    chownSync(file, uid, uid)
    chmodSync(file, mode)
    const { code, stderr } = await runAsOwner(['serve'], { ...env, ...ANY_PORTS })
    assert.equal(code, 1)
    assert.ok(
      stderr.startsWith(`error: The file ${file} belongs to ${owner}, so this user cannot open it; as root, run `),
      stderr,
    )
    const findings = JSON.parse((await runAsOwner(['doctor', '--json'], env)).stdout).findings
    const message = findings.find(({ check }: { check: string }) => check === 'folder').message
    const [command = ''] = /chown .*$/m.exec(stderr) ?? []
    assert.ok(message.endsWith(command), message)
    assert.equal(await runInShell(command), 0, command)
    await serveAsOwner(t, env)
  }
})

test('a user who may not use the folder of another one gets no advice to give a file to its own owner', async t => {
  if (!isRoot(t)) return
  const { folder, env } = await makeFolder(t)
  assert.equal((await runAsOwner(['account', 'create', 'acme', '--plan', 'free'], env)).code, 0)
  for (const path of [dirname(folder), folder]) chmodSync(path, 0o755)
  const { stdout } = await runAs({ uid: 1, gid: 1 }, ['doctor', '--json'], env)
  const { message } = JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === 'store')
  assert.match(message, /^The store .*petstore\.db cannot be opened or read: /)
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
  const { code, stderr } = await runAs({ uid: 1, gid: 1 }, ['backup', join(tmpdir(), 'never.db')], env)
  assert.equal(code, 1)
  assert.match(stderr, /petstore\.db cannot be opened or read: it or its folder cannot be written\.\n$/)
  const refused = await runAs({ uid: 1, gid: 1 }, ['account', 'create', 'other', '--plan', 'free'], env)
  assert.match(refused.stderr, /^error: The folder \S+ cannot be written \(permission denied\); set PETSTORE_DATA\.\n$/)
  chownSync(join(folder, 'petstore.db'), 1, 1)
  chmodSync(join(folder, 'petstore.db'), 0)
  const own = await runAs({ uid: 1, gid: 1 }, ['backup', join(tmpdir(), 'never.db')], env)
  assert.match(own.stderr, /petstore\.db cannot be opened or read: (?!.* belongs to )/)
})

function isRoot(t: TestContext): boolean {
  return process.getuid?.() === 0 || skip(t, 'only root can create files in the folder of another user')
}

/** An empty folder of another user, in a folder that this user may enter. */
async function makeFolder(t: TestContext, name = 'data') {
  const parent = await temporaryFolder(t)
  const folder = join(parent, name)
  mkdirSync(folder, { mode: 0o700 })
  chownSync(parent, OWNER.uid, OWNER.gid)
  chownSync(folder, OWNER.uid, OWNER.gid)
  return { folder, env: { PETSTORE_DATA: folder } }
}

function assertOwned(folder: string): void {
  const names = readdirSync(folder)
  assert.ok(names.includes('petstore.db') && existsSync(join(folder, 'petstore.db.known')), names.join())
  const others = names.filter(name => statSync(join(folder, name)).uid !== OWNER.uid)
  assert.deepEqual(others, [])
}

function runAsOwner(args: readonly string[], env: Record<string, string>): Promise<Ending> {
  return runAs(OWNER, args, env)
}

function runAs(user: typeof OWNER, args: readonly string[], env: Record<string, string>): Promise<Ending> {
  return new Promise(resolve => {
    const options = { env: environment(env), timeout: 120_000, ...user }
    execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
    })
  })
}

function runInShell(command: string): Promise<number> {
  return new Promise(resolve => execFile('sh', ['-c', command], error => resolve(error ? 1 : 0)))
}

function serveAsOwner(t: TestContext, env: Record<string, string>): Promise<void> {
  return serve(t, env, OWNER)
}

/** Starts the service, and stops it when it is ready. */
async function serve(t: TestContext, env: Record<string, string>, user: Partial<typeof OWNER>): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: environment({ ...env, ...ANY_PORTS }),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  child.stderr.on('data', chunk => {
    log += chunk
  })
  child.stdout.on('data', chunk => {
    const wasReady = log.includes('"url":')
    log += chunk
    // A second signal would end it at once.
    if (!wasReady && log.includes('"url":')) child.kill('SIGTERM')
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 0, log)
}
