import type { Config } from './config.ts'
import type { PetTransfer } from './domain/pet-transfer.ts'
import { SqlitePetTransfer } from './sqlite/pet-transfer.ts'

/** Opens the store that the settings name, for all its animals in and out. */
export async function openPetTransfer({ databaseUrl, dataFolder, deployment }: Config): Promise<PetTransfer> {
  if (databaseUrl === undefined) return SqlitePetTransfer.open(dataFolder, deployment)
  const { PostgresPetTransfer } = await import('./postgres/pet-transfer.ts')
  return PostgresPetTransfer.open(databaseUrl, deployment)
}
