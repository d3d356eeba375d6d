import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'
import './select.css'

export interface Option {
  value: string
  name: string
}

interface OptionGroup {
  group: string
  options: readonly Option[]
}

interface SelectProps extends LabelledProps, Omit<ComponentProps<'select'>, 'id'> {
  options: readonly (Option | OptionGroup)[]
}

/** A labelled native select. On a phone, that is a wheel. */
export function Select({ label, hint, error, id, isBare, options, ...select }: SelectProps) {
  return (
    <Labelled label={label} hint={hint} error={error} id={id} isBare={isBare}>
      {control => (
        <select {...control} className="input select" {...select}>
          {options.map(one =>
            'group' in one ? (
              <optgroup key={one.group} label={one.group}>
                {one.options.map(toOption)}
              </optgroup>
            ) : (
              toOption(one)
            ),
          )}
        </select>
      )}
    </Labelled>
  )
}

function toOption({ value, name }: Option) {
  return (
    <option key={value} value={value}>
      {name}
    </option>
  )
}
