import type { ComponentProps } from 'react'
import './button.css'
import { cx } from './cx.ts'

interface ButtonProps extends ComponentProps<'button'> {
  kind?: 'primary' | 'danger' | 'plain' | 'quiet'
  /** Shown while its action is under way. It stays focusable, so that the keyboard does not lose its place. */
  isBusy?: boolean
}

export function Button({ kind = 'plain', isBusy = false, className, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={cx('button', `button-${kind}`, className)}
      aria-busy={isBusy}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? event => event.preventDefault() : onClick}
      {...rest}
    >
      {children}
    </button>
  )
}
