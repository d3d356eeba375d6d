import { ClaimLinkList } from '../../parts/keys/ClaimLinkList.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

export function OpenLinksDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isDrawer
      title="Open claim links"
      description="A key can still be claimed with each of these."
    >
      <ClaimLinkList filter={{ state: 'open' }} hasAccount />
    </Dialog>
  )
}
