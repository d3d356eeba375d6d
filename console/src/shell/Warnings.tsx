import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useConnection } from '../data/connection.ts'
import { healthQuery } from '../data/service.ts'
import { tabList } from '../lib/leaving.ts'
import { Button } from '../ui/Button.tsx'
import './warnings.css'

/** Disks, backups and certificates change slowly. Screens that show the health read it more often. */
const REFETCH_MS = 5 * 60_000

/** What stops the service unless someone acts in time, and what to do about it. */
const WORDS: Readonly<Record<string, string>> = {
  disk: 'The server is running out of disk space. Ask your administrator to free up some.',
  backup: 'The backups need attention. Ask your administrator to check them.',
  'public certificate': 'The certificate for apps and partners needs attention. Ask your administrator to renew it.',
  'operators certificate': 'The certificate of this console needs attention. Ask your administrator to renew it.',
}

/** Deleted when the session ends. */
const DISMISSED = tabList<string>('petstore-dismissed')

/** Shows the worst of them on every screen. A warning can be dismissed until the session ends, a failure cannot. */
export function Warnings() {
  const { isLost } = useConnection()
  const { data } = useQuery({ ...healthQuery, staleTime: REFETCH_MS, refetchInterval: REFETCH_MS })
  const [dismissed, setDismissed] = useState(DISMISSED.read)
  const open = data?.parts.filter(
    ({ part, state }) => part in WORDS && (state === 'failing' || (state === 'degraded' && !dismissed.includes(part))),
  )
  const worst = open?.find(({ state }) => state === 'failing') ?? open?.[0]
  const dismiss = (part: string) => {
    const parts = [...dismissed, part]
    setDismissed(parts)
    DISMISSED.write(parts)
  }
  return (
    <div className="frame-warning" role="status">
      {worst && !isLost && (
        <div className="warning" data-tone={worst.state === 'failing' ? 'danger' : 'change'}>
          <p>
            <strong>{WORDS[worst.part]}</strong> {worst.message}
          </p>
          <Link to="/health">Show health</Link>
          {worst.state === 'degraded' && (
            <Button kind="quiet" onClick={() => dismiss(worst.part)}>
              Dismiss
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
