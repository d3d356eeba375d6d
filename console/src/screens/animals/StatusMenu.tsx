import { Menu } from '@base-ui/react/menu'
import { useLayoutEffect } from 'react'
import type { Pet, PetStatus } from '../../api/schema.ts'
import { expectOverlay } from '../../lib/type-ahead.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import '../../ui/menu.css'

interface StatusMenuProps {
  animal: Pet | undefined
  onChoose(animal: Pet, status: PetStatus): void
  onStop(animal: Pet): void
}

/** One menu for all rows: Enter chooses a status, Esc cancels. */
export function StatusMenu({ animal, onChoose, onStop }: StatusMenuProps) {
  useLayoutEffect(expectOverlay, [])
  if (!animal) return null
  const anchor = document.querySelector(`[data-status-of="${animal.id}"]`)
  return (
    <Menu.Root open onOpenChange={isOpen => !isOpen && onStop(animal)}>
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} align="start" sideOffset={4} className="menu-place">
          <Menu.Popup className="menu box is-raised" finalFocus={false} aria-label={`Status of ${animal.name}`}>
            <Menu.RadioGroup value={animal.status} onValueChange={(status: PetStatus) => onChoose(animal, status)}>
              {STATUSES.map(({ value, name }) => (
                <Menu.RadioItem key={value} value={value} className="menu-item" closeOnClick={false}>
                  {name}
                  <Menu.RadioItemIndicator className="menu-mark">✓</Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
