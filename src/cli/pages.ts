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

export const PAGES_HELP = `
On a terminal, the list shows the first ${TERMINAL_LIMIT} and how to get the next page. In a
pipe or a file, and with --json, it is complete unless --limit is given.`

/** Reads one page. The hint says how to get the next one. */
export async function readPage<Item extends { id: bigint }>(
  { after = 0n, limit, json }: PageOptions,
  read: (page: Page) => Promise<Item[]>,
): Promise<{ items: Item[]; hint: string | undefined }> {
  const shown = limit ?? defaultLimit(json)
  // Reads one more than it shows, to know whether there are more.
  const found = await read({ afterId: after, limit: shown + 1 })
  const items = found.slice(0, shown)
  const isLast = found.length <= shown
  return { items, hint: isLast ? undefined : `There are more: add --after ${items.at(-1)?.id} to see the next page.` }
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
  { before, limit, json }: NewestOptions,
  read: (page: { beforeId: bigint | undefined; limit: number }) => Promise<Item[]>,
  idOf: (item: Item) => bigint,
): Promise<{ items: Item[]; hint: string | undefined }> {
  const shown = limit ?? defaultLimit(json)
  const found = await read({ beforeId: before, limit: shown + 1 })
  const items = found.slice(0, shown)
  const oldest = items.at(-1)
  const hasMore = found.length > shown && oldest !== undefined
  return { items, hint: hasMore ? `There are more: add --before ${idOf(oldest)} to see older ones.` : undefined }
}

function defaultLimit(json: true | undefined): number {
  return process.stdout.isTTY && !json ? TERMINAL_LIMIT : Number.MAX_SAFE_INTEGER - 1
}
