import { useState } from 'react'
import type { ClaimLink } from '../../api/schema.ts'
import { claimLinkPages, useRevokeClaimLink } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Badge } from '../../ui/states.tsx'
import { RowList } from '../RowList.tsx'
import { TimeText } from '../times.tsx'
import { SCOPE_NAMES } from './columns.tsx'

/** The claim links of an account, or those of all that are open, newest first. The links themselves are not stored. */
export function ClaimLinkList({ account }: { account?: string }) {
  const isAdmin = useIsAdmin()
  const list = useRows(claimLinkPages(account === undefined ? { state: 'open' } : { account }))
  const empty = (
    <p className="muted">
      {account === undefined ? 'No claim link is open.' : 'No claim links yet.'} A claim link gives the key to its
      recipient, and you never see it. {isAdmin && 'To create one, issue a key and choose “Only the recipient”.'}
    </p>
  )
  return (
    <RowList list={list} empty={empty}>
      {link => <ClaimLinkItem link={link} hasAccount={account === undefined} />}
    </RowList>
  )
}

export const LINK_STATES = {
  open: { name: 'Open', tone: 'good' },
  claimed: { name: 'Claimed', tone: 'neutral' },
  expired: { name: 'Expired', tone: 'neutral' },
  revoked: { name: 'Revoked', tone: 'neutral' },
} as const

function ClaimLinkItem({ link, hasAccount }: { link: ClaimLink; hasAccount: boolean }) {
  const { id, state, name, scope, account } = link
  const isAdmin = useIsAdmin()
  const [isRevoking, setIsRevoking] = useState(false)
  const revoke = useRevokeClaimLink(id)
  return (
    <>
      <div className="main-part">
        <span>
          <strong dir="auto">{name ?? 'Unnamed key'}</strong>
          {hasAccount && (
            <>
              {' '}
              for <bdi>{account}</bdi>
            </>
          )}
        </span>
        <span className="muted">
          {SCOPE_NAMES[scope]} · <LinkTime link={link} />
        </span>
      </div>
      <Badge tone={LINK_STATES[state].tone}>{LINK_STATES[state].name}</Badge>
      {isAdmin && state === 'open' && (
        <Button onClick={() => setIsRevoking(true)} aria-label={`Revoke the link of ${name ?? `number ${id}`}`}>
          Revoke
        </Button>
      )}
      {isRevoking && (
        <ConfirmDialog
          onClose={() => setIsRevoking(false)}
          title="Revoke the claim link?"
          action="Revoke the link"
          onConfirm={() => revoke.mutateAsync()}
        >
          The link stops working immediately. If the recipient still needs a key, create another link.
        </ConfirmDialog>
      )}
    </>
  )
}

export function LinkTime({ link: { state, expiresAt, claimedAt, claimedFrom, revokedAt } }: { link: ClaimLink }) {
  return (
    <>
      {state === 'open' ? 'expires' : state}{' '}
      <TimeText at={{ open: expiresAt, expired: expiresAt, claimed: claimedAt, revoked: revokedAt }[state]} />
      {state === 'claimed' && ` from ${claimedFrom}`}
    </>
  )
}
