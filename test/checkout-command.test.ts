import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import manifest from '../package.json' with { type: 'json' }
import { temporaryFolder } from './support/folder.ts'

// ./petstore, which runs every command of a checkout.

const ROOT = join(import.meta.dirname, '..')
const WRAPPER = join(ROOT, 'petstore')
/** The checkout's Node, and everything that a shell script needs. */
const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`
const SHOW_CALL = `
  const { PETSTORE_COMMAND } = process.env
  console.log(JSON.stringify({ args: process.argv.slice(2), folder: process.cwd(), command: PETSTORE_COMMAND }))
`

test('it runs the program of the checkout', () => {
  const { stdout, status } = spawnSync(WRAPPER, ['--version'], { encoding: 'utf8' })
  assert.match(stdout, new RegExp(`\\b${RegExp.escape(manifest.version)}$`, 'm'))
  assert.equal(status, 0)
})

test('it runs in any folder, also through symbolic links, and messages name it as it was called', async t => {
  const { folder, checkout } = await makeCheckout(t, SHOW_CALL)
  await mkdir(join(folder, 'tools'))
  await symlink('../check out/petstore', join(folder, 'tools/petstore'))
  await symlink(join(folder, 'tools/petstore'), join(folder, 'tools/shop'))
  for (const [program, cwd, command] of [
    ['./petstore', checkout, './petstore'],
    ['../petstore', join(checkout, 'bin'), '../petstore'],
    ['../tools/petstore', checkout, '../tools/petstore'],
    [join(checkout, 'petstore'), '/', join(checkout, 'petstore')],
    ['petstore', '/', 'petstore'],
    ['shop', '/', 'shop'],
  ] as const) {
    const { stdout, stderr } = run(program, ['account list', '', '*', '$HOME'], {
      cwd,
      env: { PATH: `${folder}/tools:/usr/bin:/bin` },
    })
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), { args: ['account list', '', '*', '$HOME'], folder: cwd, command })
  }
})

test('a name that an installation has set stays', async t => {
  const { checkout } = await makeCheckout(t, SHOW_CALL)
  const { stdout } = run('./petstore', [], { cwd: checkout, env: { PATH, PETSTORE_COMMAND: 'shop' } })
  assert.equal(JSON.parse(stdout).command, 'shop')
})

test('the program gets standard input, and its exit code is returned', async t => {
  const { checkout } = await makeCheckout(t, "process.stdin.on('end', () => process.exit(7)).pipe(process.stdout)")
  const { stdout, status } = run('./petstore', [], { cwd: checkout, env: { PATH }, input: 'Rex' })
  assert.deepEqual({ stdout, status }, { stdout: 'Rex', status: 7 })
})

test('signals reach the program, because it replaces the shell', async t => {
  const { checkout } = await makeCheckout(t, 'console.log(process.pid); setTimeout(() => {}, 10_000)')
  const child = spawn('./petstore', { cwd: checkout, env: { PATH }, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const [printed] = await once(child.stdout.setEncoding('utf8'), 'data')
  assert.equal(printed, `${child.pid}\n`)
  child.kill('SIGTERM')
  assert.deepEqual(await closed, [null, 'SIGTERM'])
})

test('before npm ci, it says that npm ci is missing', async t => {
  const { checkout } = await makeCheckout(t, SHOW_CALL, { installed: false })
  const { stdout, stderr, status } = run('check out/petstore', ['serve'], { cwd: dirname(checkout), env: { PATH } })
  assert.equal(stderr, `error: Petstore is not set up yet. Run "npm ci" in ${checkout} first.\n`)
  assert.deepEqual({ stdout, status }, { stdout: '', status: 1 })
})

test('on a platform for which npm has no Node, it uses the one in PATH if that is new enough', async t => {
  const { folder, checkout } = await makeCheckout(t, SHOW_CALL, { node: false })
  assert.deepEqual(JSON.parse(run('./petstore', ['serve'], { cwd: checkout, env: { PATH } }).stdout).args, ['serve'])

  const old = join(folder, 'node')
  for (const answer of ['echo v24.11.1', 'echo v9.0.0', 'exit 127']) {
    await writeFile(old, `#!/bin/sh\n${answer}\n`, { mode: 0o755 })
    const { stderr, status } = run('./petstore', [], { cwd: checkout, env: { PATH: `${folder}:/usr/bin:/bin` } })
    assert.match(stderr, /^error: Petstore needs Node 26\. .*\n$/, answer)
    assert.equal(status, 1)
  }
})

test('with a Node that npm installed but did not link, it works too', async t => {
  const { checkout } = await makeCheckout(t, SHOW_CALL, { node: false })
  await mkdir(join(checkout, 'node_modules/node-sunos-x64/bin'), { recursive: true })
  await symlink(process.execPath, join(checkout, 'node_modules/node-sunos-x64/bin/node'))
  const { stdout } = run('./petstore', ['serve'], { cwd: checkout, env: { PATH: '/usr/bin:/bin' } })
  assert.deepEqual(JSON.parse(stdout).args, ['serve'])
})

test('before npm ci, npm start says so too', async t => {
  const { checkout } = await makeCheckout(t, SHOW_CALL, { installed: false })
  for (const file of ['petstore.js', 'check-node.js'])
    await copyFile(join(ROOT, 'bin', file), join(checkout, 'bin', file))
  await writeFile(join(checkout, 'package.json'), '{"type":"module"}')
  const { stderr, status } = run(process.execPath, ['bin/petstore.js', 'serve'], { cwd: checkout, env: {} })
  assert.deepEqual(
    { stderr, status },
    { stderr: 'error: Petstore is not set up yet. Run "npm ci" first.\n', status: 1 },
  )
})

test('in a folder that is gone, it says so', async t => {
  const folder = join(await temporaryFolder(t), 'old')
  await mkdir(folder)
  const { stderr, status } = spawnSync('sh', ['-c', `rmdir "${folder}" && exec "${WRAPPER}" version`], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.match(stderr, /^error: The current folder was removed, .*\n$/m)
  assert.doesNotMatch(stderr, /\n {4}at /)
  assert.equal(status, 1)
})

test('npx finds the command in the checkout, and no public package has the name of the root package', () => {
  assert.equal(manifest.private, true)
  assert.equal(manifest.name, '@petstore/service')
  assert.deepEqual(Object.keys(manifest.bin), ['petstore'])
})

interface Checkout {
  folder: string
  checkout: string
}

/** @param installed whether `npm ci` was run; @param node whether it brought a Node */
async function makeCheckout(
  t: TestContext,
  program: string,
  { installed = true, node = true } = {},
): Promise<Checkout> {
  const folder = await temporaryFolder(t)
  const checkout = join(folder, 'check out')
  await mkdir(join(checkout, 'bin'), { recursive: true })
  await copyFile(WRAPPER, join(checkout, 'petstore'))
  await writeFile(join(checkout, 'bin/petstore.js'), program)
  if (installed) await mkdir(join(checkout, 'node_modules/.bin'), { recursive: true })
  if (installed && node) await symlink(process.execPath, join(checkout, 'node_modules/.bin/node'))
  return { folder, checkout }
}

function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; input?: string },
): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(program, args, { ...options, encoding: 'utf8' })
}
