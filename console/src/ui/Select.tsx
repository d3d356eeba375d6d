import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'
import './select.css'

export interface Option {
  value: string
  name: string
}

interface SelectProps extends LabelledProps, Omit<ComponentProps<'select'>, 'id'> {
  options: readonly Option[]
}

/** A labelled choice of a few, as the browser shows it: on a telephone, that is a wheel. */
export function Select({ label, hint, error, id, isBare, options, ...select }: SelectProps) {
  return (
    <Labelled label={label} hint={hint} error={error} id={id} isBare={isBare}>
      {control => (
        <select {...control} className="input select" {...select}>
          {options.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

interface FilterSelectProps extends Omit<SelectProps, 'value' | 'onChange' | 'isBare'> {
  value: string | undefined
  onChoose(value: string): void
}

/** A select above a list. Its first option says what it filters. */
export function FilterSelect({ value = '', onChoose, ...select }: FilterSelectProps) {
  return <Select isBare value={value} onChange={({ target }) => onChoose(target.value)} {...select} />
}
