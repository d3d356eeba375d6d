import type { ComponentProps } from 'react'
import { Select } from '../ui/Select.tsx'

interface FilterSelectProps extends Omit<ComponentProps<typeof Select>, 'value' | 'onChange' | 'isBare'> {
  value: string | undefined
  onChoose(value: string): void
}

/** A select above a list. Its first option says what it filters. */
export function FilterSelect({ value = '', onChoose, ...select }: FilterSelectProps) {
  return (
    <Select
      isBare
      data-set={value === '' ? undefined : true}
      value={value}
      onChange={({ target }) => onChoose(target.value)}
      {...select}
    />
  )
}
