import type { Command } from 'commander'
import type { Page } from '../domain/store/page.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import type { JsonOption } from './output/print.ts'

/** As many rows as a person may look through. */
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

/** How the help explains the options. */
export const PAGES_HELP = `
On a terminal, the first ${TERMINAL_LIMIT} are shown, and how to get the next page. In a pipe
or a file, and with --json, the list is complete unless --limit is given.`

/** Reads one page, and says how to get the next one. */
export async function readPage<Item extends { id: bigint }>(
  { after = 0n, limit, json }: PageOptions,
  read: (page: Page) => Promise<Item[]>,
): Promise<{ items: Item[]; hint: string | undefined }> {
  const shown = limit ?? (process.stdout.isTTY && !json ? TERMINAL_LIMIT : Number.MAX_SAFE_INTEGER - 1)
  // One more than is shown says whether there are more.
  const found = await read({ afterId: after, limit: shown + 1 })
  const items = found.slice(0, shown)
  const isLast = found.length <= shown
  return { items, hint: isLast ? undefined : `There are more: add --after ${items.at(-1)?.id} to see the next page.` }
}
