import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { fold } from '../../../src/domain/fold.ts'
import { formatCounted } from '../lib/numbers.ts'
import { askWhose } from '../lib/secrets.ts'
import { expectOverlay, holdKeys } from '../lib/type-ahead.ts'
import { Icon } from '../ui/Icon.tsx'
import { Keys } from '../ui/Keys.tsx'
import { sentence } from '../ui/sentence.ts'
import { type Command, type CommandGroup, MAX_FOUND, useCommands, useFound } from './use-commands.ts'
import '../ui/dialog.css'
import './palette.css'

/** Finds screens, records and actions while the operator types. */
export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const hasRun = useRef(false)
  useLayoutEffect(expectOverlay, [])
  // A text of invisible characters looks empty, so it is.
  const wanted = fold(text).trim() && text.trim()
  const found = useFound(wanted)
  const groups = [...useCommands(wanted), ...found.groups].filter(({ items }) => items.length > 0)
  const count = groups.flatMap(({ items }) => items).length

  function close() {
    hasRun.current = true
    onClose()
  }

  function run(command: Command) {
    // The command may open an overlay, to which all typing belongs from now on.
    const end = holdKeys()
    close()
    // The command may move the focus, so it runs once this dialog is gone.
    setTimeout(command.run)
    setTimeout(end)
  }

  function press(event: KeyboardEvent) {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onClose()
  }

  return (
    <Dialog.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup className="palette box is-raised" aria-label="Search or go to" finalFocus={() => !hasRun.current}>
          <Autocomplete.Root
            open
            inline
            mode="none"
            autoHighlight="always"
            keepHighlight
            items={groups}
            itemToStringValue={({ name }: Command) => name}
            value={text}
            onValueChange={(typed, { reason }) => {
              if (reason === 'item-press') return
              if (askWhose(typed)) close()
              else setText(typed)
            }}
          >
            <div className="palette-head">
              <Icon name="search" />
              <Autocomplete.Input
                className="palette-input"
                aria-label="Search or go to"
                placeholder="Find animals, accounts, keys and screens"
                dir="auto"
                onKeyDown={press}
              />
              <Dialog.Close className="button button-quiet">Close</Dialog.Close>
            </div>
            <Autocomplete.List className="palette-list" aria-label="Results">
              {(group: CommandGroup) => <Group key={group.name} group={group} onChoose={run} />}
            </Autocomplete.List>
          </Autocomplete.Root>
          <p className="palette-state hint" role="status">
            {stateOf(count, found, wanted)}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function stateOf(count: number, { isCut, isSearching, error }: ReturnType<typeof useFound>, text: string): ReactNode {
  if (error) return `Animals, accounts and keys cannot be searched: ${error.message}`
  if (isSearching) return 'Searching …'
  if (count === 0) return sentence`Nothing matches “${text}”.`
  if (text === '') return ''
  const more = isCut ? `. At most ${MAX_FOUND} of each kind are shown.` : ''
  return formatCounted(count, 'result') + more
}

/** The commands of a group. The input keeps the focus. */
function Group({ group: { name, items }, onChoose }: { group: CommandGroup; onChoose(command: Command): void }) {
  return (
    <Autocomplete.Group items={items}>
      <Autocomplete.GroupLabel className="palette-group hint">{name}</Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {(command: Command, index: number) => (
          <Autocomplete.Item
            key={`${index} ${command.name}`}
            value={command}
            className="palette-option"
            onClick={() => onChoose(command)}
            // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus, and names the active option
            render={(props, { highlighted }) => <div {...props} role="option" aria-selected={highlighted} />}
          >
            <Icon name={command.icon} />
            <bdi className="one-line">{command.name}</bdi>
            {command.detail && <bdi className="palette-detail hint one-line">{command.detail}</bdi>}
            {command.keys && <Keys keys={command.keys} />}
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  )
}
