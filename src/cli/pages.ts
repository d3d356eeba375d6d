import type { Command } from 'commander'
import type { Page } from '../domain/store/page.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import type { JsonOption } from './output/print.ts'

/** More rows would scroll out of sight. */
const TERMINAL_LIMIT = 100

export interface PageOptions extends JsonOption {
  after?: bigint
  limit?: number
}

/** @param what is listed, such as accounts */
export function addPageOptions(command: Command, what: string): Command {
  return command
    .option('--after <id>', 'start after this id', parseInteger)
    .option('--limit <n>', `maximum number of ${what}, up to 1,000`, parseLimit)
}

/** The help text for the options. */
export const PAGES_HELP = `
On a terminal, the list shows the first ${TERMINAL_LIMIT} and how to get the next page. In a
pipe or a file, and with --json, it is complete unless --limit is given.`

interface Shown<Item> {
  items: Item[]
  /** How to get the next page, if there is one. */
  hint: string | undefined
}

export function readPage<Item extends { id: bigint }>(
  { after = 0n, ...options }: PageOptions,
  read: (page: Page) => Promise<Item[]>,
): Promise<Shown<Item>> {
  return readShown(
    options,
    limit => read({ afterId: after, limit }),
    ({ id }) => `--after ${id} to see the next page`,
  )
}

export interface NewestOptions extends JsonOption {
  before?: bigint
  limit?: number
}

/**
 * For lists that begin with the newest.
 * @param what is listed, such as entries
 * @param limit the default limit, if it does not depend on the output
 */
export function addNewestOptions(command: Command, what: string, limit?: number): Command {
  return command
    .option('--before <id>', `only ${what} older than this one`, parseInteger)
    .option('--limit <n>', `maximum number of ${what}, up to 1,000`, parseLimit, limit)
}

export function readNewest<Item>(
  { before, ...options }: NewestOptions,
  read: (page: { beforeId: bigint | undefined; limit: number }) => Promise<Item[]>,
  idOf: (item: Item) => bigint,
): Promise<Shown<Item>> {
  return readShown(
    options,
    limit => read({ beforeId: before, limit }),
    item => `--before ${idOf(item)} to see older ones`,
  )
}

/** Reads one item more than it shows, to know whether there are more. */
async function readShown<Item>(
  { limit, json }: { limit?: number } & JsonOption,
  read: (limit: number) => Promise<Item[]>,
  adviceAfter: (last: Item) => string,
): Promise<Shown<Item>> {
  const shown = limit ?? (process.stdout.isTTY && !json ? TERMINAL_LIMIT : Number.MAX_SAFE_INTEGER - 1)
  const found = await read(shown + 1)
  const items = found.slice(0, shown)
  const last = items.at(-1)
  const hasMore = found.length > shown && last !== undefined
  return { items, hint: hasMore ? `There are more: add ${adviceAfter(last)}.` : undefined }
}
