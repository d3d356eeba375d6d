import type { Command } from 'commander'
import { ConfigError, parseConfig, SETTINGS } from '../config.ts'
import { Mistake } from '../domain/errors.ts'
import type { MoveReport } from '../store-move/move-store.ts'
import { commandLineActor } from './actor.ts'
import { printJson } from './json.ts'
import { Progress } from './progress.ts'
import { formatTable, printText } from './text.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { requireStore } from './with-store.ts'

const STOPPED = 'Stopped; the same command goes on from here.'

export function addMigrateStore(program: Command): void {
  program
    .command('migrate-store')
    .description('Move the store of PETSTORE_DATA into an empty PostgreSQL database.')
    .option('--to <url>', `where to, as postgres://… (default: ${SETTINGS.databaseUrl.name})`)
    .option('--json', 'print what was moved as JSON')
    .addHelpText('after', EXAMPLES)
    .action(migrateStore)
}

async function migrateStore({ to, json }: { to?: string; json?: true }): Promise<void> {
  const config = parseConfig(process.env)
  const url = to === undefined ? config.databaseUrl : parseTarget(to)
  if (url === undefined) throw new Mistake('invalid', `Say where to: --to, or ${SETTINGS.databaseUrl.name}.`)
  const { dataFolder, deployment } = config
  await requireStore({ ...config, databaseUrl: undefined })
  const report = await untilInterrupted(STOPPED, async signal => {
    const { moveStore } = await import('../store-move/move-store.ts')
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
          // Each has a speed of its own.
          if (doing !== shown) progress = new Progress(process.stderr, () => performance.now())
          shown = doing
          progress?.show({ doing, share: Math.min(rows / of, 1), count: rows })
        },
      })
    } finally {
      progress?.clear()
    }
  })
  if (json) printJson(reportJson(report))
  else printText(...describe(report, dataFolder))
}

/** @throws Mistake, which does not repeat the text: it might hold a password */
function parseTarget(text: string): string | undefined {
  try {
    return SETTINGS.databaseUrl.parse(text)
  } catch (error) {
    throw error instanceof ConfigError ? new Mistake('invalid', `--to ${error.message}`) : error
  }
}

function reportJson({ isResumed, tables, newestPetId }: MoveReport) {
  return { resumed: isResumed, tables, newestAnimalId: newestPetId }
}

function describe({ tables, newestPetId }: MoveReport, folder: string): string[] {
  return [
    formatTable(
      ['TABLE', 'ROWS', 'CHECKSUM'],
      tables.map(({ name, rows, checksum }) => [name, rows, checksum.slice(0, CHECKSUM_SHOWN)]),
    ),
    '',
    'All of it has been read back from the database and is the same; the next animal',
    `gets id ${newestPetId + 1n}. Set ${SETTINGS.databaseUrl.name} and start the service; operators sign in`,
    `again. The store in ${folder} is as it was: keep it as a backup.`,
    'It is marked as moved, and no service starts on it.',
  ]
}

const CHECKSUM_SHOWN = 16

const EXAMPLES = `
Everything goes along: accounts, keys, bans, animals with their ids, idempotency
keys, what is used of today's calls, usage, operators' tokens, the audit log.
Keys and cursors that clients have go on working. Sessions do not go along:
operators sign in again.

Stop the service first. Until all is moved, nobody can write the embedded store
or work with the database. A move that was stopped, or lost its connection, is
gone on with by the same command. At the end every row is read back, and the
number of rows and the checksum of each table are compared. The embedded store
stays as it is, but that one of an older version is brought to this one, and it
is marked: no service starts on it until petstore.db.moved is deleted.

The database, or the schema that the URL's options name, must be empty. Other
users of this machine can see a password in --to; they cannot see one in
${SETTINGS.databaseUrl.name}.

Examples:
  $ petstore migrate-store --to postgres://petstore@db.example.com/petstore
  $ petstore migrate-store --json`
