import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Refusal } from '../../api/schema.ts'
import { type RefusalOwner, refusalsQuery } from '../../data/usage.ts'
import { formatCount } from '../../lib/numbers.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, Notice } from '../../ui/states.tsx'
import { Loading } from '../Loading.tsx'
import { TableHead } from '../TableHead.tsx'
import { TimeText } from '../times.tsx'
import { CODE_WORDS } from './words.ts'
import './refusals.css'

/** The rest is shown on request. */
const FIRST_CALLS = 10

/** The last refused and failed calls of a key or an account, newest first: what its program does wrong. */
export function RefusalTable({ owner }: { owner: RefusalOwner }) {
  const { data: calls, error } = useQuery(refusalsQuery(owner))
  const [isWhole, setIsWhole] = useState(false)
  if (!calls) return error ? <Notice tone="danger">{error.message}</Notice> : <Loading />
  if (calls.length === 0) return <p className="muted">No call has been refused or has failed in the last 7 days.</p>
  const shown = isWhole ? calls : calls.slice(0, FIRST_CALLS)
  const hasKeys = owner.startsWith('/accounts/')
  return (
    <>
      <div className="refusals-place">
        <table className="refusals" aria-label="Refused and failed calls">
          <TableHead names={['When', 'Answer', 'Call', ...(hasKeys ? ['Key'] : []), 'From']} />
          <tbody>
            {shown.map((call, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: calls have no id, and their rows have no state
              <RefusalRow key={`${calls.length - index} ${call.calledAt}`} call={call} hasKey={hasKeys} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < calls.length && (
        <Button onClick={() => setIsWhole(true)}>Show all {formatCount(calls.length)}</Button>
      )}
    </>
  )
}

function RefusalRow({ call, hasKey }: { call: Refusal; hasKey: boolean }) {
  const { calledAt, keyId, keyName, method, path, status, code, calledFrom, userAgent } = call
  return (
    <tr>
      <td>
        <TimeText at={calledAt} />
      </td>
      <td>
        <Badge tone={status >= 500 ? 'danger' : 'change'}>{String(status)}</Badge> {CODE_WORDS[code] ?? ''}{' '}
        <code className="muted">{code}</code>
      </td>
      <td>
        <code>
          {method} {path}
        </code>
      </td>
      {hasKey && <td dir="auto">{keyName ?? `Key ${keyId}`}</td>}
      <td>
        {calledFrom} {userAgent !== null && <span className="muted">{userAgent}</span>}
      </td>
    </tr>
  )
}
