import type { NewestPage, Page } from '../domain/store/page.ts'
import type { Store } from '../domain/store.ts'
import { parseInteger, parseLimit } from './arguments.ts'
import type { Command } from './command.ts'
import { type JsonOption, type List, printList } from './output/print.ts'
import { withStore } from './with-store.ts'

/** More rows would scroll out of sight. */
const TERMINAL_LIMIT = 100

/** The option for the next page of a list; `before` if it begins with the newest. */
type Edge = keyof Pages

interface Pages {
  after: Page
  before: NewestPage
}

export interface PageOptions extends JsonOption {
  after?: bigint
  before?: bigint
  limit?: number
}

/**
 * @param what is listed, such as accounts
 * @param limit the default limit, if it does not depend on the output
 */
export function addPageOptions(command: Command, edge: Edge, what: string, limit?: number): Command {
  return command
    .option(
      `--${edge} <id>`,
      edge === 'after' ? 'start after this id' : `only ${what} older than this one`,
      parseInteger,
    )
    .option('--limit <n>', `maximum number of ${what}, up to 1,000`, parseLimit, limit)
}

export const PAGES_HELP = `
On a terminal, the list shows the first ${TERMINAL_LIMIT} and how to get the next page. In a
pipe or a file, and with --json, it is complete unless --limit is given.`

/** Reads and prints one page, and how to get the next one. Reads one item more than are shown, to know whether there are more. */
export async function showPage<Item extends { id: bigint }, Named extends Edge>(
  { after: afterId = 0n, before: beforeId, limit: given, json }: PageOptions,
  edge: Named,
  read: (store: Store, page: Pages[Named]) => Promise<Item[]>,
  list: List<Item>,
): Promise<void> {
  const shown = given ?? (process.stdout.isTTY && !json ? TERMINAL_LIMIT : Number.MAX_SAFE_INTEGER - 1)
  const limit = shown + 1
  const pages: Pages = { after: { afterId, limit }, before: { beforeId, limit } }
  const found = await withStore(store => read(store, pages[edge]))
  const items = found.slice(0, shown)
  const last = found.length > shown ? items.at(-1) : undefined
  const rest = edge === 'after' ? 'the next page' : 'older ones'
  printList(json, items, list, last && `There are more: add --${edge} ${last.id} to see ${rest}.`)
}
