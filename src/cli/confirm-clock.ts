import { confirmClock } from '../domain/administration/clock.ts'
import { formatTime, isoTime } from '../domain/time.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { type JsonOption, print } from './output/print.ts'
import { withAdminContext } from './with-store.ts'

export function addConfirmClockCommand(program: Command): void {
  program
    .newCommand('confirm-clock', 'Confirm that the clock is right, so that expired data is deleted.')
    .option(...YES)
    .json('print the confirmed time as JSON', HELP)
    .action(async ({ yes, json }: YesOption & JsonOption) => {
      const confirmed = await withAdminContext(async context => {
        await confirm(yes, async () => {
          return `The clock shows ${formatTime(context.now)}. If that is wrong, data would be deleted too early. Is it right?`
        })
        await confirmClock(context)
        return context.now
      })
      print(json, { confirmedAt: isoTime(confirmed) }, `The clock is confirmed: ${formatTime(confirmed)}.`)
    })
}

const HELP = `
If the clock is more than a day ahead of the last time at which it was known to
be right, a service deletes nothing for its age: no idempotency keys, no usage
and no old backups. It confirms the clock itself after an hour in which the
clock runs steadily. This command confirms it at once. A running service deletes
expired data again within a minute.

Examples:
  $ petstore confirm-clock
  $ petstore confirm-clock --yes --json`
