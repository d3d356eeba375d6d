import { type ComponentProps, useEffect, useId, useRef, useState } from 'react'
import { isOwnMove } from '../lib/own-move.ts'
import { secretRefusal } from '../lib/secret-refusal.ts'
import { Field } from '../ui/Field.tsx'
import { Suggestions } from './Suggestions.tsx'

interface FilterFieldProps extends Omit<ComponentProps<typeof Field>, 'value' | 'onChange' | 'id' | 'isBare'> {
  value: string | undefined
  /** Suggestions while the operator types. */
  suggestions?: readonly string[]
  /** Called with Enter, when the field is left or emptied, and when a suggestion or a day is chosen. */
  onApply(value: string): void
  onDraft?(draft: string): void
}

/** A filter that is typed. It is not applied while being typed: half a name would match nothing. */
export function FilterField({ value = '', suggestions, onApply, onDraft, error, ...input }: FilterFieldProps) {
  const listId = useId()
  const field = useRef<HTMLInputElement>(null)
  const isDate = input.type === 'date'
  const [refusal, setRefusal] = useState<string>()
  // The applied filter may be changed from elsewhere, such as by "Clear filters".
  useEffect(() => {
    if (field.current) field.current.value = value
    setRefusal(undefined)
  }, [value])

  function apply(typed: string) {
    if (typed.trim() !== value && secretRefusal(typed) === undefined) onApply(typed.trim())
  }

  function draft(typed: string) {
    const refused = secretRefusal(typed)
    setRefusal(refused)
    if (refused === undefined) onDraft?.(typed)
    // A year that is being typed begins with zeros; a date with a part that is being replaced is empty.
    const isChosen = isDate ? typed >= '1000' : typed === '' || suggestions?.includes(typed)
    if (isChosen) apply(typed)
  }

  return (
    <>
      <Field
        ref={field}
        // An empty date does not say which of the two it is.
        isBare={!isDate}
        defaultValue={value}
        data-set={value === '' ? undefined : true}
        autoComplete="off"
        dir="auto"
        list={suggestions && listId}
        error={refusal ?? error}
        onChange={({ target }) => draft(target.value)}
        onBlur={({ target }) => isOwnMove() && apply(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget.value)}
        {...input}
      />
      {suggestions && <Suggestions id={listId} texts={suggestions} />}
    </>
  )
}
