import { Dialog } from '@base-ui/react/dialog'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { fold } from '../../../src/domain/fold.ts'
import { askWhose } from '../lib/secrets.ts'
import { expectOverlay, holdKeys } from '../lib/type-ahead.ts'
import { Icon } from '../ui/Icon.tsx'
import { Keys } from '../ui/Keys.tsx'
import { sentence } from '../ui/sentence.ts'
import { type Command, type CommandGroup, useCommands, useFound } from './use-commands.ts'
import '../ui/dialog.css'
import './palette.css'

/** Finds screens, records and actions while the operator types. */
export function Palette({ onClose }: { onClose(): void }) {
  const listId = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const hasRun = useRef(false)
  useLayoutEffect(expectOverlay, [])
  // A text of invisible characters looks empty, so it is.
  const wanted = fold(text).trim() && text.trim()
  const found = useFound(wanted)
  const groups = [...useCommands(wanted), ...found.groups].filter(({ commands }) => commands.length > 0)
  const commands = groups.flatMap(group => group.commands)
  const chosen = Math.min(active, commands.length - 1)

  function run(command: Command | undefined) {
    if (!command) return
    hasRun.current = true
    // The command may open an overlay, to which all typing belongs from now on.
    const end = holdKeys()
    onClose()
    // The command may move the focus, so it runs once this dialog is gone.
    setTimeout(command.run)
    setTimeout(end)
  }

  function type(typed: string) {
    if (askWhose(typed)) {
      hasRun.current = true
      onClose()
      return
    }
    setText(typed)
    setActive(0)
  }

  function press(event: KeyboardEvent) {
    const step = STEPS[event.key]
    if (event.nativeEvent.isComposing) return
    if (step) setActive((chosen + step + commands.length) % Math.max(1, commands.length))
    else if (event.key === 'Enter') run(commands[chosen])
    else if (event.key === 'k' && (event.ctrlKey || event.metaKey)) onClose()
    else return
    event.preventDefault()
  }

  return (
    <Dialog.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup className="palette box is-raised" aria-label="Search or go to" finalFocus={() => !hasRun.current}>
          <div className="palette-head">
            <Icon name="search" />
            <input
              className="palette-input"
              role="combobox"
              aria-label="Search or go to"
              aria-expanded={commands.length > 0}
              aria-controls={listId}
              aria-activedescendant={commands.length > 0 ? `${listId}-${chosen}` : undefined}
              aria-autocomplete="list"
              placeholder="Find animals, accounts, keys and screens"
              autoComplete="off"
              dir="auto"
              value={text}
              onChange={({ target }) => type(target.value)}
              onKeyDown={press}
            />
            <Dialog.Close className="button button-quiet">Close</Dialog.Close>
          </div>
          <Options id={listId} groups={groups} chosen={chosen} onPoint={setActive} onChoose={run} />
          <p className="palette-state hint" role="status">
            {stateOf(commands.length, found, wanted)}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

function stateOf(count: number, { isSearching, error }: ReturnType<typeof useFound>, text: string): ReactNode {
  if (error) return `Animals, accounts and keys cannot be searched: ${error.message}`
  if (isSearching) return 'Searching …'
  if (count === 0) return sentence`Nothing matches “${text}”.`
  return text === '' ? '' : `${count} ${count === 1 ? 'result' : 'results'}`
}

interface OptionsProps {
  id: string
  groups: readonly CommandGroup[]
  /** The index of the option that Enter runs, counted through all groups. */
  chosen: number
  onPoint(index: number): void
  onChoose(command: Command): void
}

/** The commands in their groups. The input keeps the focus. */
function Options({ id, groups, chosen, onPoint, onChoose }: OptionsProps) {
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, chosen])
  let index = -1
  return (
    <div className="palette-list" role="listbox" id={id} aria-label="Results">
      {groups.map(({ name, commands }, group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset may not be in a listbox
        <div key={name} role="group" aria-labelledby={`${id}-group-${group}`}>
          <div className="palette-group hint" id={`${id}-group-${group}`} role="presentation">
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
                <bdi className="one-line">{command.name}</bdi>
                {command.detail && <bdi className="palette-detail hint one-line">{command.detail}</bdi>}
                {command.keys && <Keys keys={command.keys} />}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
