import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, open, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }
import { temporaryFolder } from './support/folder.ts'

// The checkout after `npm ci`.

const ROOT = new URL('..', import.meta.url)
const MAX_BYTES = 260e6

interface Locked {
  engines?: { node?: string }
  hasInstallScript?: boolean
}

const locked = Object.entries<Locked>(JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')).packages)

test('it takes 260 MB at most', () => {
  const files = globSync('node_modules/**', { cwd: ROOT }).filter(file => !file.startsWith('node_modules/.cache'))
  assert.ok(files.length > 1_000)
  const bytes = files.reduce((sum, file) => sum + sizeOf(new URL(file, ROOT)), 0)
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes; was npm ci run with its scripts?`)
})

test('the source maps of packages are removed', async t => {
  const { checkout, install } = await makeCheckout(t)
  const folder = join(checkout, 'node_modules/@scope/package')
  await mkdir(folder, { recursive: true })
  for (const name of ['index.js', 'index.js.map']) await writeFile(join(folder, name), '')
  assert.equal(install(), '')
  assert.deepEqual(await readdir(folder), ['index.js'])
})

test('npm prints no warnings: no script of a dependency runs unless package.json allows it', () => {
  const decided = Object.keys((manifest as { allowScripts?: object }).allowScripts ?? {})
  const undecided = locked.filter(([path, { hasInstallScript }]) => hasInstallScript && path !== '')
  assert.deepEqual(
    undecided.filter(([path]) => !decided.some(name => path.endsWith(`node_modules/${name}`))),
    [],
  )
})

test('npx can run the program, and changes nothing in the checkout for that', () => {
  // Windows has no such permission.
  if (process.platform === 'win32') return
  for (const program of Object.values(manifest.bin)) {
    assert.equal(statSync(new URL(program, ROOT)).mode & 0o111, 0o111, `${program} is executable`)
  }
})

test('commands in a container work as the guides of 1.1.0 give them', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/petstore.ts', '--version'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  assert.match(stdout, /^Petstore +\d/)
})

test('the Node that npm installed is linked, whatever npm did, and has no headers', async t => {
  const { link, node, install } = await makeCheckout(t)
  for (const _ of ['first', 'again']) {
    assert.equal(install(), '')
    assert.equal(await realpath(link), await realpath(join(node, 'bin/node')))
    assert.deepEqual(await readdir(node), ['bin'])
  }
})

test('a link to a Node that is gone is replaced', async t => {
  const { link, node, install } = await makeCheckout(t)
  await mkdir(dirname(link))
  await symlink('../node-atari-x64/bin/node', link)
  assert.equal(install(), '')
  assert.equal(await realpath(link), await realpath(join(node, 'bin/node')))
})

test('on Windows, a new Node takes the place of the old one', async t => {
  const { link, node, install } = await makeCheckout(t)
  const program = join(node, 'bin/node.exe')
  for (const version of ['old', 'new', 'newer']) {
    // npm makes a new file, and the old one stays where it is linked.
    await rm(program, { force: true })
    await writeFile(program, version)
    for (const _ of ['first', 'again']) {
      assert.equal(install('win32'), '')
      assert.equal(await readFile(`${link}.exe`, 'utf8'), version)
    }
  }
})

test('an installation does not fail because Node cannot be linked', async t => {
  const { link, install } = await makeCheckout(t)
  await writeFile(dirname(link), 'in the way')
  assert.match(install(), /^npm scripts may not find the Node that npm installed: E/)
})

test('after an installation, the first start finds all its code compiled', async t => {
  // This checkout, without the code that is already compiled.
  const checkout = await temporaryFolder(t)
  for (const folder of ['bin', 'src']) await cp(new URL(folder, ROOT), join(checkout, folder), { recursive: true })
  for (const folder of ['.', 'node_modules']) {
    await mkdir(join(checkout, folder), { recursive: true })
    for (const name of await readdir(new URL(folder, ROOT))) {
      if (['bin', 'src', 'node_modules', '.cache'].includes(name)) continue
      await symlink(join(fileURLToPath(ROOT), folder, name), join(checkout, folder, name))
    }
  }
  const { NODE_COMPILE_CACHE, ...env } = process.env
  const compiled = spawnSync(process.execPath, ['bin/compile.js'], { cwd: checkout, env, encoding: 'utf8' })
  assert.equal(compiled.stderr, '')
  const own = { PETSTORE_DATA: join(checkout, 'store'), PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' }
  // Into a file: Node drops such lines if a pipe is full.
  const log = await open(join(checkout, 'log'), 'w+')
  const service = spawn(process.execPath, ['bin/petstore.js', 'serve', '--demo'], {
    cwd: checkout,
    env: { ...env, ...own, PETSTORE_ENV_FILE: '', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    stdio: ['ignore', 'pipe', log.fd],
  })
  // The instructions for the demo.
  await once(service.stdout as Readable, 'data')
  service.kill()
  await once(service, 'close')
  await log.close()
  const uses = (await readFile(join(checkout, 'log'), 'utf8')).split('\n').filter(line => line.includes('/src/'))
  assert.ok(uses.filter(line => line.includes('was accepted')).length > 100)
  assert.deepEqual(
    uses.filter(line => /no transpile cache|was rejected/.test(line)),
    [],
  )
})

test('the last step of an installation builds and compiles, unless the packages for that were left out', async t => {
  const { checkout, node, install } = await makeCheckout(t)
  await writeFile(join(checkout, 'bin/build.js'), "console.error('built')")
  await writeFile(join(checkout, 'bin/compile.js'), "console.error('compiled')")
  await rm(join(node, 'bin'), { recursive: true })
  assert.equal(install(), '')
  await mkdir(join(checkout, 'node_modules/vite'))
  assert.match(install(), /^built\ncompiled\n$/)
})

test('an installation whose Node cannot start fails, and names the library that small systems lack', async t => {
  // npm runs its scripts with the shell of the system.
  if (process.platform === 'win32') return
  const { checkout, node } = await makeCheckout(t)
  const broken = join(node, 'bin/node')
  await writeFile(broken, '#!/bin/sh\necho libatomic.so.1: cannot open shared object file >&2; exit 127\n', {
    mode: 0o755,
  })
  await chmod(broken, 0o755)
  const runByNpm = (folders: string) =>
    spawnSync('/bin/sh', ['-c', manifest.scripts.postinstall], {
      cwd: checkout,
      env: { PATH: folders },
      encoding: 'utf8',
    })
  await mkdir(join(checkout, 'node_modules/vite'))
  // With the Node that npm has linked, and with the one that npm runs on.
  for (const folder of [dirname(broken), dirname(process.execPath)]) {
    const { status, stdout, stderr } = runByNpm(folder)
    assert.equal(status, 1)
    assert.match(stderr, /^libatomic\.so\.1: cannot open/)
    assert.match(stdout, /^If libatomic is missing, install the package libatomic1 or libatomic\.$/m)
  }
})

/** A checkout after npm, with Node for one platform. */
async function makeCheckout(t: TestContext) {
  const checkout = await temporaryFolder(t)
  const node = join(checkout, 'node_modules/node-beos-x64')
  for (const folder of ['bin', 'include', 'node_modules/node-beos-x64/bin', 'node_modules/node-beos-x64/include']) {
    await mkdir(join(checkout, folder), { recursive: true })
  }
  await writeFile(join(node, 'bin/node'), '')
  await writeFile(join(node, 'include/node.h'), '')
  const optionalDependencies = { 'node-amiga-68k': '1.0.0', 'node-beos-x64': '1.0.0' }
  await writeFile(join(checkout, 'package.json'), JSON.stringify({ type: 'module', optionalDependencies }))
  const script = join(checkout, 'bin/after-install.js')
  await copyFile(new URL('bin/after-install.js', ROOT), script)
  return {
    checkout,
    node,
    link: join(checkout, 'node_modules/.bin/node'),
    /** Returns its warnings. */
    install(platform: string = process.platform): string {
      const pretend = `Object.defineProperty(process, 'platform', { value: '${platform}' })`
      const options = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
      const { status, stderr } = spawnSync(process.execPath, [...options, script], { encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      return stderr
    },
  }
}

function sizeOf(file: URL): number {
  const { size } = lstatSync(file)
  return size
}
