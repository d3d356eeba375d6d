import { useEffect, useRef } from 'react'

let isFirstScreen = true

/** Moves the focus to the heading of a new screen: screen readers announce it, and Tab continues from there. */
export function useHeadingFocus() {
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
