import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { secretRefusal } from '../lib/secret-refusal.ts'
import { useShortcut } from '../shortcuts/use-shortcut.ts'
import { Icon } from '../ui/Icon.tsx'
import '../ui/field.css'
import './search-field.css'

interface SearchFieldProps {
  label: string
  value: string | undefined
  /** Called when the typing pauses, or immediately by Enter. */
  onChange(value: string | undefined): void
}

const PAUSE_MS = 250

/** Searches while the operator types. "/" focuses it, and Esc clears it. */
export function SearchField({ label, value = '', onChange }: SearchFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState(value)
  const [seen, setSeen] = useState(value)
  const [sent, setSent] = useState(value)
  if (value !== seen) {
    setSeen(value)
    // It was changed elsewhere, such as by "Clear filters" or the browser's back button.
    if (value !== sent) setDraft(value)
  }
  const refusal = secretRefusal(draft)
  const apply = useEffectEvent(() => {
    const wanted = draft.trim()
    if (wanted === value || refusal !== undefined) return
    setSent(wanted)
    onChange(wanted || undefined)
  })
  useEffect(() => {
    const timer = setTimeout(apply, draft === '' ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [draft])
  useShortcut({ keys: '/', name: label, run: () => input.current?.focus() })
  return (
    <div className="search-field">
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <Icon name="search" />
      <input
        id={id}
        ref={input}
        type="search"
        className="input"
        dir="auto"
        placeholder={label}
        autoComplete="off"
        aria-invalid={refusal !== undefined}
        aria-describedby={refusal && `${id}-error`}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter' && refusal === undefined) onChange(draft.trim() || undefined)
          if (key === 'Escape') setDraft('')
        }}
      />
      {refusal && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {refusal}
        </p>
      )}
    </div>
  )
}
