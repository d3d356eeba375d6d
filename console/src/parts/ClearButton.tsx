import type { ComponentProps } from 'react'
import { createStore } from '../lib/store.ts'
import { Button } from '../ui/Button.tsx'

/** How often filters have been cleared. Their fields then start again: what is typed, and not applied yet, is cleared as well. */
export const clearings = createStore(0)

interface ClearButtonProps extends ComponentProps<typeof Button> {
  onClear: (() => void) | undefined
}

/** Clears the filters of a list. A press does not take the focus: a field that is left applies its filter, and the list would begin to load. */
export function ClearButton({ onClear, children = 'Clear filters', ...button }: ClearButtonProps) {
  const clear = () => {
    clearings.set(clearings.get() + 1)
    onClear?.()
  }
  return (
    <Button onMouseDown={event => event.preventDefault()} onClick={clear} {...button}>
      {children}
    </Button>
  )
}
