import { findKey } from '../domain/administration/keys.ts'
import { type ListedRefusal, MAX_REFUSALS, REFUSAL_DAYS } from '../domain/refusals.ts'
import { refusalJson } from '../schema/responses/refusals.ts'
import type { Command } from './command.ts'
import { type JsonOption, printList } from './output/print.ts'
import type { Columns } from './output/table.ts'
import { formatSecond } from './output/text.ts'
import { withStore } from './with-store.ts'

export function addRefusalsCommand(key: Command, keyId: string): void {
  key
    .newCommand('refusals', 'List the last refused and failed calls of a key, newest first.')
    .argument('<key-id>', keyId)
    .json('print a JSON array of calls', HELP)
    .action(async (keyId: string, { json }: JsonOption) => {
      const calls = await withStore(async store => store.listRefusals({ keyId: (await findKey(store, keyId)).id }))
      printList(json, calls, {
        toJson: refusalJson,
        columns: COLUMNS,
        whenEmpty: `No call with this key has been refused or has failed in the last ${REFUSAL_DAYS} days.`,
      })
    })
}

const COLUMNS: Columns<ListedRefusal> = {
  TIME: one => formatSecond(one.calledAt),
  STATUS: one => one.status,
  CODE: one => one.code,
  ADDRESS: one => one.calledFrom,
  METHOD: one => one.method,
  PATH: one => one.path,
  'USER AGENT': one => one.userAgent ?? '-',
}

const HELP = `
Shows the last calls with the key that were answered with an error: at most
${MAX_REFUSALS}, for ${REFUSAL_DAYS} days or as long as usage is kept. They appear within seconds. What
may be a secret is withheld from the path and the user agent. All times are UTC.

Examples:
  $ petstore key refusals 3
  $ petstore key refusals 3 --json`
