import { Link } from '@tanstack/react-router'
import type { Key } from '../../api/schema.ts'
import { TimeText } from '../TimeText.tsx'
import { KeyExpiry, KeyStateBadge, KeyUse, SCOPE_NAMES } from './badges.tsx'
import '../facts.css'

export function KeyFacts({ apiKey }: { apiKey: Key }) {
  const { id, accountId, account, hint, scope, networks, createdAt, revokedAt, replacedBy } = apiKey
  return (
    <dl className="facts">
      <dt>Account</dt>
      <dd>
        <Link to="/accounts/$accountId" params={{ accountId: String(accountId) }} dir="auto">
          {account}
        </Link>
      </dd>
      <dt>State</dt>
      <dd>
        <KeyStateBadge apiKey={apiKey} />
      </dd>
      <dt>Key</dt>
      <dd>
        <code>…{hint}</code>, id {String(id)}
      </dd>
      <dt>Scope</dt>
      <dd>{SCOPE_NAMES[scope]}</dd>
      <dt>Networks</dt>
      <dd>{networks === null ? 'Any address may use it' : <Networks networks={networks} />}</dd>
      <dt>Last used</dt>
      <dd>
        <KeyUse apiKey={apiKey} />
      </dd>
      <dt>Issued</dt>
      <dd>
        <TimeText at={createdAt} />
      </dd>
      <dt>Expires</dt>
      <dd>
        <KeyExpiry apiKey={apiKey} />
      </dd>
      {revokedAt !== null && (
        <>
          <dt>Revoked</dt>
          <dd>
            <TimeText at={revokedAt} />
          </dd>
        </>
      )}
      {replacedBy !== null && (
        <>
          <dt>Replaced by</dt>
          <dd>
            <Link to="/keys" search={{ key: String(replacedBy) }}>
              Key {String(replacedBy)}
            </Link>
          </dd>
        </>
      )}
    </dl>
  )
}

function Networks({ networks }: { networks: readonly string[] }) {
  return (
    <ul>
      {networks.map(network => (
        <li key={network}>
          <code>{network}</code>
        </li>
      ))}
    </ul>
  )
}
