import { loadConfig } from '../app/config.ts'
import type { MoveReport } from '../app/migrate-store.ts'
import { ConfigError } from '../app/setting-values.ts'
import { SETTINGS } from '../app/settings.ts'
import { invalid } from '../domain/errors.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { type JsonOption, print } from './output/print.ts'
import { Progress } from './output/progress.ts'
import { formatTable } from './output/table.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { commandLineActor, requireStore } from './with-store.ts'

const STOPPED = 'Stopped: run the same command again to resume.'

export function addMigrateStoreCommand(program: Command): void {
  program
    .newCommand('migrate-store', 'Move the store in PETSTORE_DATA to an empty PostgreSQL database.')
    .option('--to <url>', `target, as postgres://… (default: ${SETTINGS.databaseUrl.name})`)
    .option(...YES)
    .json('print the moved tables as JSON', HELP)
    .action(migrateStore)
}

async function migrateStore({ to, yes, json }: { to?: string } & YesOption & JsonOption): Promise<void> {
  const config = loadConfig()
  const url = to === undefined ? config.databaseUrl : parseTarget(to)
  if (url === undefined) throw invalid(`The target is missing: add --to or set ${SETTINGS.databaseUrl.name}.`)
  const { dataFolder, deployment } = config
  await requireStore({ ...config, databaseUrl: undefined })
  await confirm(yes, async () => {
    return `The store in ${dataFolder} would be moved to ${placeOf(url)}, and no service would start on the folder again. Make sure that the service is stopped. Start the move?`
  })
  const report = await untilInterrupted(STOPPED, async signal => {
    const { moveStore } = await import('../app/migrate-store.ts')
    let progress: Progress | undefined
    let shown = ''
    try {
      return await moveStore({
        from: dataFolder,
        to: url,
        deployment,
        actor: commandLineActor(process.env),
        clock: Date.now,
        signal,
        onProgress({ doing, rows, of }) {
          // Each step has its own speed.
          if (doing !== shown) progress = new Progress(process.stderr, () => performance.now())
          shown = doing
          progress?.show({ doing, share: Math.min(rows / of, 1), count: rows })
        },
      })
    } finally {
      progress?.clear()
    }
  })
  const { isResumed, tables, newestPetId } = report
  print(json, { resumed: isResumed, tables, newestAnimalId: newestPetId }, ...describe(report, dataFolder))
}

/** Describes a database without user, password and options. */
function placeOf(url: string): string {
  return `the database ${SETTINGS.databaseUrl.show(url).replace(/^\w+:\/\//, '')}`
}

/** @throws UserError, which does not repeat the text, because it might contain a password */
function parseTarget(text: string): string | undefined {
  try {
    return SETTINGS.databaseUrl.parse(text)
  } catch (error) {
    throw error instanceof ConfigError ? invalid(`--to ${error.message}`) : error
  }
}

function describe({ tables, newestPetId }: MoveReport, folder: string): string[] {
  return [
    formatTable(
      ['TABLE', 'ROWS', 'CHECKSUM'],
      tables.map(({ name, rows, checksum }) => [name, rows, checksum.slice(0, CHECKSUM_SHOWN)]),
    ),
    '',
    'All rows were read back from the database and are identical. The next animal gets',
    `id ${newestPetId + 1n}. Set ${SETTINGS.databaseUrl.name} and start the service; operators must sign in`,
    `again. The store in ${folder} is unchanged: keep it as a backup.`,
    'It is marked as moved, so that no service starts on it.',
  ]
}

const CHECKSUM_SHOWN = 16

const HELP = `
Everything is moved except operator sessions: accounts, keys, bans, animals with
their ids, idempotency keys, today's call counts, usage, operator tokens and the
audit log. Clients' keys and cursors keep working. Operators must sign in again.

Stop the service first. During the move, the embedded store cannot be written to
and the database cannot be used. If interrupted, run the same command again to
resume. At the end, every row is read back, and the row count and checksum of
each table are compared. The embedded store is kept, upgraded if it has an older
version, and marked as moved: no service starts on it until petstore.db.moved is
deleted.

The database, or the schema named in the URL's options, must be empty. Other
users of this machine can see a password in --to, but not one in
${SETTINGS.databaseUrl.name}.

Examples:
  $ petstore migrate-store --to postgres://petstore@db.example.com/petstore
  $ petstore migrate-store --yes --json`
