import { Button } from './Button.tsx'
import { DialogFrame } from './DialogFrame.tsx'

interface DiscardDialogProps {
  /** How the input would be lost: by closing a dialog, or by leaving its screen. */
  by: 'closing' | 'leaving'
  onKeep(): void
  onDiscard(): void
}

const TEXTS = {
  closing: {
    title: 'Discard your changes?',
    text: 'Your changes have not been saved.',
    keep: 'Keep editing',
    discard: 'Discard',
  },
  leaving: {
    title: 'Leave this screen?',
    text: 'Anything you have not saved or stored yet will be lost.',
    keep: 'Stay',
    discard: 'Leave',
  },
}

/** Asks before unsaved input, or a secret that is shown only once, is lost. */
export function DiscardDialog({ by, onKeep, onDiscard }: DiscardDialogProps) {
  const { title, text, keep, discard } = TEXTS[by]
  return (
    <DialogFrame
      onClose={onKeep}
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
    </DialogFrame>
  )
}
