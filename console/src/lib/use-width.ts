import { type RefObject, useLayoutEffect, useState } from 'react'

/** The width of an element, without its scrollbar; 0 until it is measured. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const watched = element.current
    if (!watched) return
    const measure = () => setWidth(watched.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(watched)
    return () => observer.disconnect()
  }, [element])
  return width
}
