import { type ComponentProps, useEffect, useId, useRef } from 'react'
import { Field } from '../ui/Field.tsx'

interface FilterFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'id'> {
  label: string
  value: string | undefined
  error?: string | undefined
  /** What may be chosen while one types. */
  suggestions?: readonly string[]
  /** Called with Enter, when the field is left, and when a suggestion is chosen. */
  onApply(value: string): void
  onDraft?(draft: string): void
}

/** A filter that is typed. It is drafted first: half a name would find nothing. */
export function FilterField({ value = '', suggestions, onApply, onDraft, ...input }: FilterFieldProps) {
  const listId = useId()
  const field = useRef<HTMLInputElement>(null)
  // What is applied may be changed from elsewhere, such as by "Clear filters".
  useEffect(() => {
    if (field.current) field.current.value = value
  }, [value])

  function apply(typed: string) {
    if (typed.trim() !== value) onApply(typed.trim())
  }

  return (
    <>
      <Field
        ref={field}
        defaultValue={value}
        autoComplete="off"
        dir="auto"
        list={suggestions && listId}
        onChange={({ target }) => {
          onDraft?.(target.value)
          if (suggestions?.includes(target.value)) apply(target.value)
        }}
        onBlur={({ target }) => apply(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget.value)}
        {...input}
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map(one => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  )
}
