import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { TestContext } from 'node:test'
import { type Instruction, imageEnvironment, imageStages, imageText } from '../dockerfile.ts'
import { eventually } from '../eventually.ts'
import { addressesOf } from '../html.ts'
import { findFreePort } from './private-server.ts'

// A container without Docker: what a Dockerfile does is done in plain folders, and what comes out is run as the user that it names, who may write
// nothing but the data folder. What this cannot show: the base image, and what Docker itself does.

/** What an image is built from. */
interface Context {
  folder: string
  /** Relative to the folder. */
  files: readonly string[]
}

const PROGRAMS = 'usr/local/bin'

/** The file system of an image in a folder, ready to run. */
export interface Container {
  root: string
  /** Runs a command as the container does. */
  run(command: readonly string[], env: Record<string, string>, options?: SpawnOptions): ChildProcess
}

/** Starts the service in a container, uses it and stops it. */
export async function useContainer(
  t: TestContext,
  container: Container,
  settings: Record<string, string>,
): Promise<void> {
  const [port, operatorPort] = [await findFreePort(), await findFreePort()]
  const env = {
    ...settings,
    PETSTORE_PORT: String(port),
    PETSTORE_OPERATOR_PORT: String(operatorPort),
    PETSTORE_PRODUCTION_URL: 'https://api.example.org/v1',
  }
  const entrypoint: string[] = JSON.parse(imageText('ENTRYPOINT'))
  const healthcheck: string[] = JSON.parse(imageText('HEALTHCHECK').replace(/^.* CMD /, ''))
  const endOf = async (command: readonly string[]) => {
    const child = container.run(command, env, { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', text => {
      printed += text
    })
    const [code] = await once(child, 'close')
    return { code, printed }
  }

  assert.equal((await endOf(healthcheck)).code, 1, 'nothing is well that does not run')
  const service = container.run([...entrypoint, ...JSON.parse(imageText('CMD'))], env, {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(service, 'exit')
  t.after(() => service.kill('SIGKILL'))
  await eventually(async () => assert.equal((await endOf(healthcheck)).code, 0))

  await endOf([...entrypoint, 'account', 'create', 'acme', '--plan', 'pro'])
  const { printed } = await endOf([...entrypoint, 'key', 'create', 'acme', '--json'])
  const { key } = JSON.parse(printed)
  const call = (options: RequestInit) =>
    fetch(`http://127.0.0.1:${port}/v1/pets`, {
      ...options,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    })
  assert.equal((await call({ method: 'POST', body: '{"name":"Rex","categoryId":1}' })).status, 201)
  assert.equal(((await (await call({})).json()) as unknown[]).length, 1)
  assert.equal((await fetch(`http://127.0.0.1:${port}/docs`)).status, 200, 'the documentation has its files')
  const clients = await (await fetch(`http://127.0.0.1:${port}/clients/`)).text()
  const files = addressesOf(clients).filter(address => /\.(?:tgz|whl)$/.test(address))
  assert.equal(files.length, 2)
  for (const file of files) assert.equal((await fetch(`http://127.0.0.1:${port}/clients/${file}`)).status, 200, file)
  const html = await (await fetch(`http://127.0.0.1:${operatorPort}/console/`)).text()
  const [, script = ''] = /src="(\.\/assets\/[^"]+)"/.exec(html) ?? []
  const address = new URL(script, `http://127.0.0.1:${operatorPort}/console/`)
  assert.equal(
    (await fetch(address)).headers.get('content-type'),
    'text/javascript; charset=utf-8',
    'the console is built',
  )
  service.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
}

/**
 * Builds an image until the end of the test.
 * @param dockerfile relative to the repository
 */
export function buildContainer(t: TestContext, dockerfile: string, context: Context): Container {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-image-'))
  chmodSync(folder, 0o755)
  t.after(() => {
    execFileSync('chmod', ['-R', 'u+w', folder])
    rmSync(folder, { recursive: true })
  })
  const roots = new Map<string, string>()
  let root = ''
  for (const [index, stage] of imageStages(dockerfile).entries()) {
    root = join(folder, String(index))
    buildStage(root, stage, roots, context)
    const name = / AS (\w+)$/.exec(stage[0]?.text ?? '')?.[1]
    if (name) roots.set(name, root)
  }
  const node = join(root, PROGRAMS, 'node')
  const user = userOf(imageText('USER'))
  const workdir = join(root, imageText('WORKDIR'))
  execFileSync('chmod', ['-R', 'a-w', workdir, join(root, 'usr')])
  const run = ([program, ...args]: readonly string[], env: Record<string, string>, options: SpawnOptions = {}) => {
    const PATH = `${dirname(node)}:/usr/bin:/bin`
    return spawn(join(dirname(node), program ?? ''), args, {
      ...options,
      ...user,
      cwd: workdir,
      env: { ...imageEnvironment(), PATH, ...env },
    })
  }
  return { root, run }
}

function buildStage(
  root: string,
  stage: readonly Instruction[],
  stagesByName: ReadonlyMap<string, string>,
  context: Context,
): void {
  let workdir = root
  let user = {}
  mkdirSync(join(root, PROGRAMS), { recursive: true })
  // The Node of the base image.
  copyFileSync(process.execPath, join(root, PROGRAMS, 'node'))
  for (const { word, text } of stage) {
    if (word === 'WORKDIR') {
      workdir = join(root, text)
      mkdirSync(workdir, { recursive: true })
    } else if (word === 'COPY') {
      const words = text.split(' ')
      const from = /^--from=(\w+)$/.exec(words[0] ?? '')?.[1]
      if (from) {
        const [, source = '', destination = ''] = words
        cpSync(join(stagesByName.get(from) ?? '', source), join(workdir, destination), {
          recursive: true,
          verbatimSymlinks: true,
        })
      } else copyContext(words, workdir, context)
    } else if (word === 'USER') user = userOf(text)
    else if (word === 'RUN') run(text, root, workdir, user)
  }
}

/** Copies files of the context into a folder: those named, those of named folders, or all of it. */
function copyContext(words: readonly string[], workdir: string, { folder, files }: Context): void {
  const sources = words.slice(0, -1)
  const destination = join(workdir, words.at(-1) ?? '')
  for (const file of files) {
    const source = sources.find(one => one === '.' || one === file || file.startsWith(`${one}/`))
    if (source === undefined) continue
    // Docker puts a file, and what is in a folder, into the destination.
    const inside = source === '.' ? file : relative(source === file ? dirname(file) : source, file)
    mkdirSync(dirname(join(destination, inside)), { recursive: true })
    copyFileSync(join(folder, file), join(destination, inside))
  }
}

/** Runs a command of the build: where it names a path of the image, that of the folder; owners it gives only where it may. */
function run(text: string, root: string, workdir: string, user: object): void {
  const isRoot = process.getuid?.() === 0
  const words = text.split(' ').filter(word => isRoot || !/^--(owner|group)=/.test(word))
  const [program = '', ...args] = words.map(word => (word.startsWith('/') ? join(root, word) : word))
  const { NODE_COMPILE_CACHE: _, PATH, ...inherited } = process.env
  const env = {
    ...inherited,
    PATH: `${join(root, PROGRAMS)}:${PATH}`,
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  execFileSync(program, args, { cwd: workdir, env, stdio: ['ignore', 'ignore', 'pipe'], ...user })
}

/** Only root can run something as another user. */
function userOf(text: string): object {
  const [uid, gid] = text.split(':').map(Number)
  return process.getuid?.() === 0 ? { uid, gid } : {}
}
