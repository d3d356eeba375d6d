import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Pet } from '../../api/schema.ts'
import { isOwnMove } from '../../lib/own-move.ts'
import { watchUnsaved } from '../../lib/unsaved.ts'
import { reportUnchanged } from './report-unchanged.tsx'
import type { Correct } from './use-correction.ts'

/** Edits a name inline: Enter saves, and so does leaving the field by hand. Esc cancels. */
export function NameEditor({ animal: shown, correct, onStop }: { animal: Pet; correct: Correct; onStop(): void }) {
  // The version at the start: a change by someone else in the meantime must not be overwritten.
  const [animal] = useState(shown)
  const [name, setName] = useState(animal.name)
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const isOver = useRef(false)
  const isUnsaved = useEffectEvent(() => name !== animal.name && !isBusy)
  useEffect(() => {
    isOver.current = false
    const end = watchUnsaved({ isThere: () => isUnsaved(), isKept: false })
    return () => {
      isOver.current = true
      end()
    }
  }, [])

  async function save() {
    if (isOver.current || isBusy) return
    if (name === animal.name) return stop()
    setIsBusy(true)
    try {
      if (await correct({ animal, change: { name } })) stop()
    } catch (refused) {
      if (isOver.current) reportUnchanged(animal, refused as Error)
      else setError((refused as Error).message)
    } finally {
      setIsBusy(false)
    }
  }

  function stop() {
    // It may already have been closed, by editing another name.
    if (isOver.current) return
    isOver.current = true
    onStop()
  }

  return (
    <span className="name-editor">
      <input
        className="input"
        dir="auto"
        aria-label={`Name of ${animal.name}`}
        aria-invalid={error !== undefined}
        aria-describedby={error && 'name-editor-error'}
        aria-busy={isBusy}
        readOnly={isBusy}
        value={name}
        // biome-ignore lint/a11y/noAutofocus: the operator has just asked to correct this name
        autoFocus
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setName(target.value)}
        onBlur={() => isOwnMove() && error === undefined && save()}
        onKeyDown={event => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') void save()
          if (event.key === 'Escape') stop()
        }}
      />
      {error && (
        <span className="name-editor-error" id="name-editor-error" role="alert">
          {error}
        </span>
      )}
    </span>
  )
}
