import type { NewestPage, Page } from '../domain/store/page.ts'
import type { Store } from '../domain/store.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import type { Command } from './command.ts'
import { type JsonOption, type List, printList } from './output/print.ts'
import { withStore } from './with-store.ts'

/** More rows would scroll out of sight. */
const TERMINAL_LIMIT = 100

interface Limited extends JsonOption {
  limit?: number
}

export interface PageOptions extends Limited {
  after?: bigint
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

/** Reads and prints one page, and how to get the next one. */
export function showPage<Item extends { id: bigint }>(
  options: PageOptions,
  read: (store: Store, page: Page) => Promise<Item[]>,
  list: List<Item>,
): Promise<void> {
  const { after: afterId = 0n } = options
  const next = (last: bigint) => `--after ${last} to see the next page`
  return show(options, (store, limit) => read(store, { afterId, limit }), list, next)
}

export interface NewestOptions extends Limited {
  before?: bigint
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

/** Reads and prints one page of such a list, and how to get older items. */
export function showNewest<Item extends { id: bigint }>(
  options: NewestOptions,
  read: (store: Store, page: NewestPage) => Promise<Item[]>,
  list: List<Item>,
): Promise<void> {
  const { before: beforeId } = options
  const next = (last: bigint) => `--before ${last} to see older ones`
  return show(options, (store, limit) => read(store, { beforeId, limit }), list, next)
}

/** Reads one item more than are shown, to know whether there are more. */
async function show<Item extends { id: bigint }>(
  { limit, json }: Limited,
  read: (store: Store, limit: number) => Promise<Item[]>,
  list: List<Item>,
  next: (last: bigint) => string,
): Promise<void> {
  const shown = limit ?? (process.stdout.isTTY && !json ? TERMINAL_LIMIT : Number.MAX_SAFE_INTEGER - 1)
  const found = await withStore(store => read(store, shown + 1))
  const items = found.slice(0, shown)
  const last = found.length > shown ? items.at(-1) : undefined
  printList(json, items, { ...list, hint: last && `There are more: add ${next(last.id)}.` })
}
