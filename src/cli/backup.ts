import type { Holdings, RestoreReport } from '../app/backup-restore.ts'
import { type Config, loadConfig } from '../app/config.ts'
import { formatBytes } from '../domain/bytes.ts'
import { parseNamedFile } from './arguments.ts'
import type { Command } from './command.ts'
import { confirm, YES, type YesOption } from './confirm.ts'
import { type JsonOption, print } from './output/print.ts'
import { formatTable } from './output/table.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { commandLineActor, reportNewStore } from './with-store.ts'

type Options = JsonOption & { force?: boolean }

export function addBackupCommands(program: Command): void {
  program
    .newCommand('backup', 'Back up the store to one file; safe while the service runs.')
    .argument('<file>', 'file to create', parseNamedFile)
    .option('--force', 'replace the file if it exists')
    .json('print the contents of the backup as JSON', BACKUP_HELP)
    .action(async (file: string, { force = false, json }: Options) => {
      const config = loadConfig()
      const { backUp } = await import('../app/backup-restore.ts')
      const { holdings, bytes } = await untilInterrupted('Stopped: no backup was written.', signal =>
        backUp(config, file, Date.now(), { force, signal }),
      )
      print(
        json,
        { file, bytes, ...holdingsJson(holdings) },
        formatHoldings(holdings),
        '',
        `${file} (${formatBytes(bytes)}) holds the ${holdings.deployment} store as of the start of this command.`,
        'It was opened, checked and counted. It contains the hashes of keys and tokens, so',
        'only this user can read it. Keep a copy on another machine.',
      )
    })

  program
    .newCommand('restore', 'Restore a backup into PETSTORE_DATA. Stop the service first.')
    .argument('<file>', 'backup file; it is not changed', parseNamedFile)
    .option('--force', 'replace an existing store, which is moved aside')
    .option(...YES)
    .json('print the contents of the restored store as JSON', RESTORE_HELP)
    .action(async (file: string, { force = false, yes, json }: Options & YesOption) => {
      const config = loadConfig()
      if (force) await confirm(yes, () => askAboutReplacing(config, file))
      const { restore } = await import('../app/backup-restore.ts')
      const { hasStore } = await import('../app/open-store.ts')
      const isNew = !hasStore(config)
      const restorer = { actor: commandLineActor(process.env), now: Date.now() }
      const restored = await untilInterrupted('Stopped: the store is unchanged.', signal =>
        restore(config, file, restorer, { force, signal }),
      )
      if (isNew) reportNewStore(config)
      const { holdings, fromVersion, movedTo = null } = restored
      print(
        json,
        { folder: config.dataFolder, fromVersion, movedTo, ...holdingsJson(holdings) },
        ...describeRestored(config.dataFolder, file, restored),
      )
    })
}

async function askAboutReplacing(config: Config, file: string): Promise<string | undefined> {
  const { hasStore } = await import('../app/open-store.ts')
  if (config.databaseUrl !== undefined || !hasStore(config)) return undefined
  return `The store in ${config.dataFolder} would be moved aside and replaced with ${file}; all later changes would be lost. Restore it?`
}

function describeRestored(folder: string, file: string, { holdings, fromVersion, movedTo }: RestoreReport): string[] {
  const { version, deployment } = holdings
  return [
    formatHoldings(holdings),
    '',
    `The ${deployment} store in ${folder} was restored from ${file}.`,
    ...(fromVersion < version ? [`It was upgraded from version ${fromVersion} to ${version}.`] : []),
    ...(movedTo === undefined ? [] : [`The previous store was moved to ${movedTo}.`]),
    'Changes made after the backup are lost: keys and tokens revoked since',
    'then work again, claim links that were used since then can be used again, and',
    'ids of animals created since then will be used again. All operators must sign',
    'in again. The audit log records this restore.',
  ]
}

function holdingsJson({ deployment, version, counts, newestPetId }: Holdings) {
  return { deployment, version, ...counts, newestAnimalId: newestPetId }
}

function formatHoldings({ counts, newestPetId }: Holdings): string {
  return formatTable(
    ['CONTENTS', 'NUMBER'],
    [
      ['animals', counts.animals],
      ['highest animal id', newestPetId],
      ['accounts', counts.accounts],
      ['API keys', counts.keys],
      ['bans', counts.bans],
      ['operator tokens', counts.operatorTokens],
      ['operator sessions', counts.sessions],
      ['audit entries', counts.auditEntries],
      ['usage records', counts.usageRecords],
      ['idempotency keys', counts.idempotencyKeys],
    ],
  )
}

const BACKUP_HELP = `
The backup is one file, consistent as of the start of the command: it contains
every animal whose creation was acknowledged before then. The file appears under
its name only after it was checked; if anything fails or the command is stopped,
no file is left behind. Back up a store in PostgreSQL with pg_dump instead.

Examples:
  $ petstore backup /var/backups/petstore/petstore-2027-03-01.db
  $ petstore backup latest.db --force --json`

const RESTORE_HELP = `
The file is checked before the store is touched. An existing store is never
deleted: --force moves it aside and prints its new name. A backup of an older
version is upgraded. Restore a store in PostgreSQL with pg_restore instead.

Examples:
  $ petstore restore /var/backups/petstore/petstore-2027-03-01.db
  $ PETSTORE_DATA=./copy petstore restore latest.db --json
  $ petstore restore latest.db --force --yes`
