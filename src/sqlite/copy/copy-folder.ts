import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DEPLOYMENTS, type Deployment } from '../../domain/deployment.ts'
import { UserError } from '../../domain/errors.ts'
import { systemReason } from '../../domain/system-error.ts'
import { isoTime } from '../../domain/time.ts'

/**
 * The folder of a continuous copy. Each start of the service begins a chain: a folder with full copies of the store, and between them files
 * with the pages that changed. File names contain all metadata, so that no file has to be opened to choose what to restore.
 */

/** A file system may be slow, and a full copy takes some time. */
const MIN_DELAY_SECONDS = 60
/** A copy that is written at intervals may be this many intervals behind. */
const INTERVALS_BEHIND = 3

/** How many seconds a copy may be behind the store before that counts as a problem. */
export function longestDelay(everySeconds: number): number {
  return Math.max(MIN_DELAY_SECONDS, INTERVALS_BEHIND * everySeconds)
}

/** The store that a chain copies, and when the chain began. */
export interface ChainName {
  /** See `stateOf`: a store and its backups have the same value. */
  store: string
  deployment: Deployment
  /** Unix milliseconds. */
  startedAt: number
}

export interface Chain extends ChainName {
  folder: string
  /** In order. */
  files: readonly CopyFile[]
}

/** A full copy has the number of the last changes that it includes. */
export interface CopyFile {
  path: string
  kind: 'full' | 'changes'
  number: number
  /** Unix milliseconds. The file includes everything committed until shortly before this time, and nothing committed later. */
  at: number
  /** In hexadecimal. */
  sha256: string
}

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z`
const CHAIN = new RegExp(`^(${TIME})_(${DEPLOYMENTS.join('|')})_([0-9a-f]{32})$`)
const FILE = new RegExp(String.raw`^(\d{10})_(${TIME})_([0-9a-f]{64})\.(full|changes)$`)

export function chainFolder(folder: string, { store, deployment, startedAt }: ChainName): string {
  return join(folder, `${timeInName(startedAt)}_${deployment}_${store}`)
}

export function copyFileName({ kind, number, at, sha256 }: Omit<CopyFile, 'path'>): string {
  return `${String(number).padStart(10, '0')}_${timeInName(at)}_${sha256}.${kind}`
}

/** Windows does not allow colons in file names. */
function timeInName(time: number): string {
  return isoTime(time).replaceAll(':', '-')
}

function readTime(text: string): number {
  return Date.parse(text.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))
}

/**
 * The chains in a folder, oldest first.
 * @throws UserError when the folder cannot be read
 */
export function listChains(folder: string): Chain[] {
  return orUserError(folder, () => {
    const names = readdirSync(folder).toSorted()
    return names.flatMap(name => {
      const [, time = '', deployment, store = ''] = CHAIN.exec(name) ?? []
      if (deployment === undefined) return []
      const chain = { store, deployment: deployment as Deployment, startedAt: readTime(time) }
      return [{ ...chain, folder: join(folder, name), files: listFiles(join(folder, name)) }]
    })
  })
}

/**
 * The same, for a folder that may contain chains of only one store.
 * @throws UserError also when it contains others
 */
export function ensureOwnChains(folder: string, { store, deployment }: Omit<ChainName, 'startedAt'>): Chain[] {
  const chains = listChains(folder)
  if (chains.every(chain => chain.store === store && chain.deployment === deployment)) return chains
  throw new UserError(
    'conflict',
    `The folder ${folder} has a copy of another store; set PETSTORE_COPY_TO to an empty folder.`,
  )
}

function listFiles(folder: string): CopyFile[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap(name => {
      const [, number, time = '', sha256 = '', kind] = FILE.exec(name) ?? []
      if (kind === undefined) return []
      const path = join(folder, name)
      return [{ path, kind: kind as CopyFile['kind'], number: Number(number), at: readTime(time), sha256 }]
    })
}

function orUserError<Result>(folder: string, work: () => Result): Result {
  if (!existsSync(folder)) throw new UserError('not_found', `There is no folder ${folder}.`)
  try {
    return work()
  } catch (error) {
    const reason = systemReason(error)
    if (reason === undefined) throw error
    throw new UserError('conflict', `The copy in ${folder} cannot be read (${reason}).`)
  }
}

/** The files that make up the store at one moment: a full copy, and all changes after it. */
export interface RestorePlan {
  chain: ChainName
  full: CopyFile
  changes: readonly CopyFile[]
  /** Unix milliseconds: nothing committed later is restored. */
  at: number
}

/**
 * Chooses the newest state that is not later than a time.
 * @param at in Unix milliseconds; by default, the newest state of all
 * @throws UserError when the copy does not go back that far, a file is missing, or the folder has copies of several stores
 */
export function planRestore(folder: string, at = Number.POSITIVE_INFINITY): RestorePlan {
  const chains = listChains(folder)
  const stores = new Set(chains.map(({ store }) => store))
  if (stores.size > 1)
    throw new UserError('conflict', `The folder ${folder} has copies of ${stores.size} different stores.`)
  for (const chain of chains.toReversed()) {
    const last = chain.files.findLast(file => file.at <= at && hasFullBefore(chain, file))
    if (last) return planTo(folder, chain, last)
  }
  const [first] = chains.flatMap(({ files }) => files.filter(({ kind }) => kind === 'full'))
  if (!first) throw new UserError('not_found', `There is no complete copy of a store in ${folder}.`)
  throw new UserError('not_found', `The copy in ${folder} begins at ${isoTime(first.at)}; name a later time.`)
}

function hasFullBefore({ files }: Chain, { number }: CopyFile): boolean {
  return files.some(file => file.kind === 'full' && file.number <= number)
}

function planTo(folder: string, chain: Chain, last: CopyFile): RestorePlan {
  const full = chain.files.findLast(file => file.kind === 'full' && file.number <= last.number) as CopyFile
  // By their numbers, not their times: the clock may have been set back in between.
  const needed = chain.files
    .slice(0, chain.files.indexOf(last) + 1)
    .filter(({ kind, number }) => kind === 'changes' && number > full.number)
  // A file may have been written twice because the disk did not confirm the first one; the second includes everything in the first.
  const changes = needed.filter(({ number }, index) => needed[index + 1]?.number !== number)
  for (const [index, { number }] of changes.entries()) {
    const missing = full.number + 1 + index
    if (number === missing) continue
    const before = changes[index - 1] ?? full
    throw new UserError(
      'conflict',
      `The copy in ${folder} lacks changes number ${missing}; restore to the time before them with --at ${isoTime(before.at)}.`,
    )
  }
  return { chain, full, changes, at: last.at }
}

/** The files that are not needed to restore any state after a time; whole folders if nothing in a chain is needed. */
export function findOutdated(folder: string, before: number): string[] {
  const chains = listChains(folder)
  const fulls = chains.flatMap(chain =>
    chain.files.filter(({ kind, at }) => kind === 'full' && at <= before).map(full => ({ chain, full })),
  )
  const base = fulls.at(-1)
  if (!base) return []
  const older = chains.slice(0, chains.indexOf(base.chain)).map(chain => chain.folder)
  const files = base.chain.files.filter(({ kind, number }) =>
    kind === 'full' ? number < base.full.number : number <= base.full.number,
  )
  return [...older, ...files.map(({ path }) => path)]
}
