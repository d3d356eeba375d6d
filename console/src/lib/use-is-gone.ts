import { type RefObject, useEffect, useRef } from 'react'

/** Whether the component is no longer shown, for work that ends later. */
export function useIsGone(): RefObject<boolean> {
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  return isGone
}
