import { ClaimLinkList } from '../../parts/keys/ClaimLinkList.tsx'
import { Dialog } from '../../ui/Dialog.tsx'

export function OpenLinksDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isDrawer
      title="Open claim links"
      description="Each of these links can still be used to claim a key."
    >
      <ClaimLinkList filter={{ state: 'open' }} hasAccount />
    </Dialog>
  )
}
