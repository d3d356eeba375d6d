import type { Config } from './config.ts'
import type { PetTransfer } from './domain/pet-transfer.ts'
import { SqlitePetTransfer } from './sqlite/pet-transfer.ts'

/** Opens the store that the settings name, for all its animals in and out. */
export function openPetTransfer({ dataFolder, deployment }: Config): Promise<PetTransfer> {
  return SqlitePetTransfer.open(dataFolder, deployment)
}
