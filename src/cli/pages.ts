import type { NewestPage, Page } from '../domain/store/page.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import type { Command } from './command.ts'
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

export const PAGES_HELP = `
On a terminal, the list shows the first ${TERMINAL_LIMIT} and how to get the next page. In a
pipe or a file, and with --json, it is complete unless --limit is given.`

/** Reads one page. The hint says how to get the next one. */
export async function readPage<Item extends { id: bigint }>(
  { after = 0n, ...options }: PageOptions,
  read: (page: Page) => Promise<Item[]>,
): Promise<Shown<Item>> {
  const { items, last } = await readFirst(options, limit => read({ afterId: after, limit }))
  return { items, hint: last && `There are more: add --after ${last.id} to see the next page.` }
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

/** Reads one page of such a list. The hint says how to get older items. */
export async function readNewest<Item>(
  { before, ...options }: NewestOptions,
  read: (page: NewestPage) => Promise<Item[]>,
  idOf: (item: Item) => bigint,
): Promise<Shown<Item>> {
  const { items, last } = await readFirst(options, limit => read({ beforeId: before, limit }))
  return { items, hint: last && `There are more: add --before ${idOf(last)} to see older ones.` }
}

interface Shown<Item> {
  items: Item[]
  hint: string | undefined
}

/** Reads one item more than are shown, to know whether there are more: then, it also returns the last one that is shown. */
async function readFirst<Item>(
  { limit, json }: { limit?: number } & JsonOption,
  read: (limit: number) => Promise<Item[]>,
) {
  const shown = limit ?? (process.stdout.isTTY && !json ? TERMINAL_LIMIT : Number.MAX_SAFE_INTEGER - 1)
  const found = await read(shown + 1)
  const items = found.slice(0, shown)
  return { items, last: found.length > shown ? items.at(-1) : undefined }
}
