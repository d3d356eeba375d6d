import type { Key } from '../../api/schema.ts'
import { useCreateClaimLink } from '../../data/claim-links.ts'
import { useIssueKey } from '../../data/keys.ts'
import { SECONDS } from '../../lib/durations.ts'
import { type Expiry, NEVER } from '../../lib/expiry.ts'
import type { Zone } from '../../lib/time.ts'
import { networksOf } from './networks.ts'

/** A new key, as form values. */
export interface NewKeyValues {
  /** Its name. */
  account: string
  delivery: 'show' | 'link'
  name: string
  scope: Key['scope']
  networks: string
  expiresAt: Expiry
  validForSeconds: string
}

export const EMPTY_KEY: NewKeyValues = {
  account: '',
  delivery: 'show',
  name: '',
  scope: 'read-write',
  networks: '',
  expiresAt: NEVER,
  validForSeconds: String(SECONDS.day),
}

export function useIssue() {
  const issueKey = useIssueKey()
  const createLink = useCreateClaimLink()

  function issue(accountId: bigint, values: NewKeyValues, zone: Zone): Promise<unknown> {
    const networks = networksOf(values.networks)
    const terms = {
      accountId,
      name: values.name || undefined,
      scope: values.scope,
      networks: networks.length > 0 ? networks : undefined,
      expiry: values.expiresAt,
      zone,
    }
    if (values.delivery === 'show') return issueKey.mutateAsync(terms)
    return createLink.mutateAsync({ ...terms, validForSeconds: Number(values.validForSeconds) })
  }
  return { issue, key: issueKey.data, link: createLink.data }
}
