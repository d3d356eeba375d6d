import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

interface DiscardDialogProps {
  /** What would lose it: closing a dialog, or leaving its screen. */
  by: 'closing' | 'leaving'
  onKeep(): void
  onDiscard(): void
}

const TEXTS = {
  closing: {
    title: 'Discard your changes?',
    text: 'What you have entered is not saved yet.',
    keep: 'Keep editing',
    discard: 'Discard',
  },
  leaving: {
    title: 'Leave this screen?',
    text: 'What you have not saved or stored yet will be lost.',
    keep: 'Stay',
    discard: 'Leave',
  },
}

/** Asks before what was entered, or is shown only once, is lost. */
export function DiscardDialog({ by, onKeep, onDiscard }: DiscardDialogProps) {
  const { title, text, keep, discard } = TEXTS[by]
  return (
    <Dialog
      isOpen
      onClose={onKeep}
      hasChanges={false}
      title={title}
      actions={
        <>
          <Button onClick={onKeep}>{keep}</Button>
          <Button kind="danger" onClick={onDiscard}>
            {discard}
          </Button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  )
}
