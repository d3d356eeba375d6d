import type { Usage } from '../../api/schema.ts'

export function accountName({ accountId, account }: Pick<Usage, 'accountId' | 'account'>): string {
  return account ?? `Deleted account ${accountId}`
}

export function keyName({ keyId, keyName }: Pick<Usage, 'keyId' | 'keyName'>): string {
  return keyName ?? `Key ${keyId}`
}

export function operationName(operation = 'none'): string {
  return operation === 'none' ? 'No operation' : operation
}
