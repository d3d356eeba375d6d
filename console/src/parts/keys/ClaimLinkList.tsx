import { claimLinkPages } from '../../data/claim-links.ts'
import { useRows } from '../../data/rows.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { ClaimLinkItem } from './ClaimLinkItem.tsx'
import './keys.css'

interface ClaimLinkListProps {
  filter: { account?: string; state?: string }
  /** Whether each link shows its account. */
  hasAccount?: boolean
}

/** The claim links, newest first. The links themselves are not stored. */
export function ClaimLinkList({ filter, hasAccount = false }: ClaimLinkListProps) {
  const { rows, hasMore, isLoading, onEnd, error } = useRows(claimLinkPages(filter))
  if (error) return <Notice tone="danger">{error.message}</Notice>
  if (rows.length === 0) {
    if (isLoading) return null
    return (
      <p className="muted">
        {filter.state === 'open' ? 'No claim link is open.' : 'No claim links yet.'} A claim link gives the key to its
        recipient, and you never see it. To create one, issue a key and choose “Only the recipient”.
      </p>
    )
  }
  return (
    <>
      <ul className="links">
        {rows.map(link => (
          <ClaimLinkItem key={String(link.id)} link={link} hasAccount={hasAccount} />
        ))}
      </ul>
      {hasMore && (
        <Button onClick={onEnd} isBusy={isLoading}>
          Show more
        </Button>
      )}
    </>
  )
}
