import type { ComponentProps } from 'react'
import { cx } from './cx.ts'
import { Icon, type IconName } from './Icon.tsx'
import { Keys } from './Keys.tsx'
import './button.css'

interface ButtonProps extends ComponentProps<'button'> {
  kind?: 'primary' | 'danger' | 'plain' | 'quiet'
  icon?: IconName
  /** Shows that its action is running. It stays focusable, so that keyboard users do not lose their place. */
  isBusy?: boolean
  /** Whether Ctrl+Enter (⌘+Enter) in its dialog presses it. It then shows the shortcut. */
  isMain?: boolean
}

export function Button(props: ButtonProps) {
  const { kind = 'plain', icon, isBusy = false, isMain = false, className, onClick, children, ...rest } = props
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
      {icon && <Icon name={icon} />}
      {children}
      {isMain && <Keys keys="mod+enter" />}
    </button>
  )
}
