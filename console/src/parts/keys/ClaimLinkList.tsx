import { claimLinkPages } from '../../data/claim-links.ts'
import { useRows } from '../../data/rows.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { ClaimLinkItem } from './ClaimLinkItem.tsx'
import './keys.css'

interface ClaimLinkListProps {
  filter: { account?: string; state?: string }
  /** Whether each says whose it is. */
  hasAccount?: boolean
}

/** Links with which a key can be claimed, newest first. The links themselves are not kept. */
export function ClaimLinkList({ filter, hasAccount = false }: ClaimLinkListProps) {
  const { rows, hasMore, isLoading, onEnd, error } = useRows(claimLinkPages(filter))
  if (error) return <Notice tone="danger">{error.message}</Notice>
  if (rows.length === 0) {
    if (isLoading) return null
    return (
      <EmptyState title={filter.state === 'open' ? 'No open claim links' : 'No claim links'}>
        A claim link lets its recipient make the key, so that you never see it. Choose it when you issue a key.
      </EmptyState>
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
