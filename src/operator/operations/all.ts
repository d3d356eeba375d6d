import type { AdminOperation } from '../operation.ts'
import { accountOperations } from './accounts.ts'
import { keyOperations } from './keys.ts'
import { petOperations } from './pets.ts'
import { recordOperations } from './records.ts'
import { sessionOperations } from './session.ts'

/** Every operation of the admin API. */
export const OPERATIONS: readonly AdminOperation[] = [
  ...petOperations,
  ...accountOperations,
  ...keyOperations,
  ...recordOperations,
  ...sessionOperations,
]
