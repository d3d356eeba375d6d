import { useEffect } from 'react'
import { Icon } from '../ui/Icon.tsx'
import { Keys } from '../ui/Keys.tsx'
import type { Command, CommandGroup } from './use-commands.ts'

interface OptionsProps {
  id: string
  groups: readonly CommandGroup[]
  /** The index of the option that Enter runs, counted through all groups. */
  chosen: number
  onPoint(index: number): void
  onChoose(command: Command): void
}

/** The commands in their groups. The input keeps the focus. */
export function Options({ id, groups, chosen, onPoint, onChoose }: OptionsProps) {
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, chosen])
  let index = -1
  return (
    <div className="palette-list" role="listbox" id={id} aria-label="Results">
      {groups.map(({ name, commands }, group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset may not be in a listbox
        <div key={name} role="group" aria-labelledby={`${id}-group-${group}`}>
          <div className="palette-group" id={`${id}-group-${group}`} role="presentation">
            {name}
          </div>
          {commands.map(command => {
            index += 1
            const own = index
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus, and names the active option
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
              <div
                key={`${command.name} ${command.detail ?? ''} ${own}`}
                id={`${id}-${own}`}
                role="option"
                aria-selected={own === chosen}
                className="palette-option"
                onPointerMove={() => own !== chosen && onPoint(own)}
                onClick={() => onChoose(command)}
              >
                <Icon name={command.icon} />
                <bdi className="palette-name">{command.name}</bdi>
                {command.detail && <bdi className="palette-detail">{command.detail}</bdi>}
                {command.keys && <Keys keys={command.keys} />}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
