import { type RefObject, useLayoutEffect, useState } from 'react'

/** Whether an element is at most this wide, without its scrollbar. */
export function useNarrow(element: RefObject<HTMLElement | null>, maxWidth: number): boolean {
  const [isNarrow, setIsNarrow] = useState(false)
  useLayoutEffect(() => {
    const watched = element.current
    if (!watched) return
    const update = () => setIsNarrow(watched.clientWidth <= maxWidth)
    update()
    const observer = new ResizeObserver(update)
    observer.observe(watched)
    return () => observer.disconnect()
  }, [element, maxWidth])
  return isNarrow
}
