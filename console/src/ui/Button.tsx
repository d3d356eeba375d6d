import type { ComponentProps, MouseEvent } from 'react'
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

/** The second press of a double click does nothing: it may be on a button that has just replaced the first one, such as the one that closes a secret. */
export function Button(props: ButtonProps) {
  const { kind = 'plain', icon, isBusy = false, isMain = false, className, onClick, children, ...rest } = props
  const isIgnored = (event: MouseEvent) => isBusy || (event.detail > 1 && kind !== 'quiet')
  return (
    <button
      type="button"
      className={cx('button', `button-${kind}`, className)}
      aria-busy={isBusy}
      aria-disabled={isBusy || undefined}
      aria-keyshortcuts={isMain ? 'Control+Enter Meta+Enter' : undefined}
      onClick={event => (isIgnored(event) ? event.preventDefault() : onClick?.(event))}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
      {isMain && <Keys keys="mod+enter" />}
    </button>
  )
}
