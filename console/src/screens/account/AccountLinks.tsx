import type { Account } from '../../api/schema.ts'
import { ClaimLinkList } from '../../parts/keys/ClaimLinkList.tsx'
import { Panel } from '../../parts/Panel.tsx'

export function AccountLinks({ account: { id } }: { account: Account }) {
  return (
    <Panel title="Claim links" className="is-wide">
      <ClaimLinkList filter={{ account: String(id) }} />
    </Panel>
  )
}
