import type { ComponentProps } from 'react'
import './button.css'
import { cx } from './cx.ts'
import { Keys } from './Keys.tsx'

interface ButtonProps extends ComponentProps<'button'> {
  kind?: 'primary' | 'danger' | 'plain' | 'quiet'
  /** Shown while its action is under way. It stays focusable, so that the keyboard does not lose its place. */
  isBusy?: boolean
  /** Whether Ctrl+Enter (⌘+Enter) in its dialog presses it, which it then shows. */
  isMain?: boolean
}

export function Button(props: ButtonProps) {
  const { kind = 'plain', isBusy = false, isMain = false, className, onClick, children, ...rest } = props
  return (
    <button
      type="button"
      className={cx('button', `button-${kind}`, className)}
      aria-busy={isBusy}
      aria-disabled={isBusy || undefined}
      aria-keyshortcuts={isMain ? 'Control+Enter Meta+Enter' : undefined}
      onClick={isBusy ? event => event.preventDefault() : onClick}
      {...rest}
    >
      {children}
      {isMain && <Keys keys="mod+enter" />}
    </button>
  )
}
