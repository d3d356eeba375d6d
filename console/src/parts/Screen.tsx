import { type ReactNode, useEffect, useRef } from 'react'
import { useTitle } from '../lib/use-title.ts'
import './screen.css'

interface ScreenProps {
  title: string
  /** One sentence for first-time users. */
  description?: ReactNode
  /** Buttons, the main one last. */
  actions?: ReactNode
  /** Whether the screen is as high as the window, and its content scrolls instead of the page. */
  isFixed?: boolean
  children: ReactNode
}

export function Screen({ title, description, actions, isFixed = false, children }: ScreenProps) {
  useTitle(title)
  const heading = useHeadingFocus()
  return (
    <div className="screen" data-fixed={isFixed}>
      <header className="screen-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description && <p className="screen-description">{description}</p>}
        </div>
        {actions && <div className="screen-actions row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

let isFirstScreen = true

/** Moves the focus to the heading of a new screen: screen readers announce it, and Tab continues from there. */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const isLater = !isFirstScreen
    isFirstScreen = false
    if (isLater && !document.activeElement?.closest('dialog, [role="dialog"], #screen')) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [])
  return heading
}
