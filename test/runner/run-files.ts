import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import type { Failure, FileResult } from './file-result.ts'
import { forEach, type Pace } from './for-each.ts'
import { type ProcessOptions, runProcess } from './run-process.ts'

export interface RunOptions extends ProcessOptions, Pace {
  /** Files that start first, each in a process of its own. */
  first?: readonly string[]
  filesPerProcess: number
}

export interface RunResult {
  files: FileResult[]
  /** Failures in files that passed when they were run once more. */
  flaky: FirstFailure[]
}

export interface FirstFailure extends Failure {
  /** One, or all of a process that failed as a whole. */
  files: readonly string[]
}

/**
 * Runs test files in several processes. A file that fails beside others is run once more, alone, when all others are done: then its second result
 * counts.
 */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<RunResult> {
  if (files.length === 1) return { files: (await runProcess(files, options)).files, flaky: [] }

  const results = new Map<string, FileResult>()
  const failures: FirstFailure[] = []
  await forEach(groupsOf(files, options), options, async group => {
    const result = await runProcess(group, { ...options, onEvent: event => isOutput(event) && options.onEvent(event) })
    const failed = failuresIn(result)
    failures.push(...failed)
    for (const failure of failed) options.onEvent(announcementOf(failure))
    for (const one of result.files) {
      if (failed.some(failure => failure.files.includes(one.file))) continue
      results.set(one.file, one)
      // Only now, because the tests of files that run beside each other must not be mixed.
      for (const event of one.events) options.onEvent(event)
    }
  })
  for (const file of files) {
    if (results.has(file)) continue
    const { files: again } = await runProcess([file], options)
    for (const one of again) results.set(file, one)
  }
  const hasPassed = (file: string) => results.get(file)?.failures.length === 0
  return { files: [...results.values()], flaky: failures.filter(failure => failure.files.every(hasPassed)) }
}

/** The names of these files, as one would type them. */
export function namesOf(files: readonly string[]): string {
  return files.map(file => relative(process.cwd(), file)).join(', ')
}

/**
 * Neighbours share a process: they use the same modules, and run commands in the same further process. Only the names of the files decide which of
 * them share one, so a failure can be reproduced.
 */
function groupsOf(files: readonly string[], { first = [], filesPerProcess }: RunOptions): string[][] {
  const others = files.filter(file => !first.includes(file))
  const starts = others.keys().filter(index => index % filesPerProcess === 0)
  const groups = [...starts].map(start => others.slice(start, start + filesPerProcess))
  return [...first.filter(file => files.includes(file)).map(file => [file]), ...groups]
}

function failuresIn({ files, failure }: Awaited<ReturnType<typeof runProcess>>): FirstFailure[] {
  const ofFiles = files.flatMap(({ file, failures }) => failures.map(one => ({ ...one, files: [file] })))
  if (!failure || files.length === 1) return ofFiles
  return [...ofFiles, { files: files.map(({ file }) => file), name: 'the process of these files', error: failure }]
}

function announcementOf({ files, name, error }: FirstFailure): TestEvent {
  const message = `FAILED, and will run once more: ${namesOf(files)}: ${name}\n${inspect(error)}\n`
  return { type: 'test:stderr', data: { file: files[0] as string, message } }
}

function isOutput({ type }: TestEvent): boolean {
  return type === 'test:stdout' || type === 'test:stderr'
}
