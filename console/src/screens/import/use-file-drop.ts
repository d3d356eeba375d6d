import { useEffect, useEffectEvent, useState } from 'react'

const EVENTS = ['dragover', 'dragleave', 'drop'] as const

/**
 * Takes a file that is dropped anywhere in the window. The browser would show it in place of the console.
 * @returns whether a file is over the window
 */
export function useFileDrop(take: (file: File) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  const onEvent = useEffectEvent((event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    setIsOver(event.type === 'dragover')
    const [file] = event.dataTransfer.files
    if (event.type === 'drop' && file) take(file)
  })
  useEffect(() => {
    const listener = (event: DragEvent) => onEvent(event)
    for (const type of EVENTS) addEventListener(type, listener)
    return () => {
      for (const type of EVENTS) removeEventListener(type, listener)
    }
  }, [])
  return isOver
}
