import { useEffect, useState } from 'react'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import { addToast } from './toasts.ts'

const TICK_MS = 2_000

/** Copies a text. It briefly shows a tick, and announces it to screen readers. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), TICK_MS)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
    } catch {
      // Browsers offer no clipboard to pages loaded without HTTPS.
      addToast({
        title: 'The browser does not allow this page to copy',
        description: 'Select the text and copy it.',
        type: 'error',
      })
    }
  }

  return (
    <Button kind="quiet" className="copy" aria-label={label} title={label} onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span className="visually-hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </Button>
  )
}
