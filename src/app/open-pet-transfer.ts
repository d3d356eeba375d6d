import type { PetTransfer } from '../domain/pet-transfer.ts'
import type { OpenFiles } from '../sqlite/data-folder/file-identity.ts'
import type { Config } from './config.ts'
import { spoolOnDisk } from './temporary-folder.ts'

/**
 * Opens the store that the settings name, to import or export its animals. Apart from `openStore`, so that threads load less.
 * @param files of the embedded store that this service has open
 */
export async function openPetTransfer(
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'deployment'>,
  files?: OpenFiles,
): Promise<PetTransfer> {
  const { databaseUrl, dataFolder, deployment } = config
  spoolOnDisk(config)
  if (databaseUrl === undefined) {
    const { openSqliteTransfer } = await import('../sqlite/pet-transfer.ts')
    return openSqliteTransfer(dataFolder, deployment, files)
  }
  const { openPostgresTransfer } = await import('../postgres/pet-transfer.ts')
  return openPostgresTransfer(databaseUrl, deployment)
}
