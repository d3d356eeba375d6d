import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { TSC } from '../../tools/typescript.ts'
import type { Language, Sample } from './read-samples.ts'

/** A sample and the address that it calls. */
export interface Wish {
  sample: Sample
  /** With /v1. */
  url: string
  key: string
  /** Further environment variables that it reads. */
  variables?: Record<string, string>
}

/** A sample as a file, with its environment. */
export interface SampleCall {
  file: string
  env: Record<string, string>
}

export interface SampleEnding {
  output: string
  /** Errors and warnings; empty if there were none. */
  errors: string
  /** From its exit code. */
  hasFailed: boolean
  seconds: number
}

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TIMEOUT_MS = 120_000

const EXTENSIONS: Record<Language, string> = { sh: 'sh', ts: 'ts', python: 'py' }

/** Prepares a folder like that of a project that has installed the client. */
export async function makeProject(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@petstore/client'), { recursive: true })
  await symlink(join(ROOT, 'node_modules/@types'), join(modules, '@types'))
  await symlink(join(ROOT, 'client/package.json'), join(modules, '@petstore/client/package.json'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  // A sample may show where a value comes from without using it.
  const compilerOptions = { moduleDetection: 'force', noUnusedLocals: false }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
  )
  const outDir = join(modules, '@petstore/client/dist')
  assert.equal(await compile('--project', join(ROOT, 'client'), '--outDir', outDir), '')
}

/** Type-checks samples in a project. Returns the errors. */
export async function checkTypes(project: string, samples: readonly Sample[]): Promise<string> {
  await writeSamples(
    project,
    samples.map(sample => ({ sample, url: '', key: '' })),
  )
  return compile('--project', project)
}

/** Writes samples into a folder, each with its location as its name. */
async function writeSamples(folder: string, wishes: readonly Wish[]): Promise<SampleCall[]> {
  return Promise.all(
    wishes.map(async ({ sample, url, key, variables }, index) => {
      const name = `${sample.place.replaceAll(/[/:.]/g, '-')}-${index}`
      const file = join(folder, `${name}.${EXTENSIONS[sample.language]}`)
      await writeFile(file, sample.code)
      // Even if a proxy is set for all programs, the samples must call this machine directly.
      return { file, env: { PETSTORE_URL: url, PETSTORE_API_KEY: key, no_proxy: '*', ...variables } }
    }),
  )
}

function compile(...options: string[]): Promise<string> {
  return run(process.execPath, [TSC, ...options]).then(
    () => '',
    error => error.stdout || error.message,
  )
}

/** Runs samples of one language, one after another, in their own project folder. */
export async function runSamples(
  project: string,
  language: Language,
  wishes: readonly Wish[],
): Promise<SampleEnding[]> {
  const folder = await mkdtemp(join(project, 'run-'))
  const calls = await writeSamples(folder, wishes)
  if (language === 'sh') return runInShell(folder, calls)
  const runner = fileURLToPath(new URL(language === 'ts' ? 'sample-runner.ts' : 'sample_runner.py', import.meta.url))
  return runInOne(folder, [language === 'ts' ? process.execPath : PYTHON, runner], calls)
}

/** Debian's own, which Debian's packages are for. */
export const PYTHON = '/usr/bin/python3'

async function runInOne(
  folder: string,
  [program, runner]: [program: string, runner: string],
  calls: readonly SampleCall[],
): Promise<SampleEnding[]> {
  const list = join(folder, 'calls.json')
  await writeFile(list, JSON.stringify(calls))
  const env = { ...process.env, PYTHONPATH: join(ROOT, 'clients/python/src') }
  const { stdout } = await run(program, [runner, list], { cwd: folder, env, timeout: TIMEOUT_MS })
  return JSON.parse(stdout)
}

async function runInShell(folder: string, calls: readonly SampleCall[]): Promise<SampleEnding[]> {
  const endings: SampleEnding[] = []
  for (const { file, env } of calls) {
    const startedAt = performance.now()
    const options = { cwd: folder, env: { ...process.env, ...env }, timeout: TIMEOUT_MS }
    // Without -e: a sample that stops on an error must set that itself.
    const ended = run('sh', ['-u', file], options).then(
      ({ stdout, stderr }) => ({ output: stdout, errors: stderr, hasFailed: false }),
      ({ stdout, stderr, message }) => ({ output: stdout, errors: `${stderr}${message}`, hasFailed: true }),
    )
    endings.push({ ...(await ended), seconds: (performance.now() - startedAt) / 1_000 })
  }
  return endings
}
