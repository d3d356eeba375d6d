import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountNamesQuery } from '../data/account-names.ts'
import { FilterField } from './FilterField.tsx'

interface AccountFilterProps {
  /** The name or the id of an account. */
  value: string | undefined
  error?: string | undefined
  onApply(account: string): void
}

/** Narrows a list to one account, whose name is suggested while one types. */
export function AccountFilter({ value, error, onApply }: AccountFilterProps) {
  const [draft, setDraft] = useState('')
  const { data: names = [] } = useQuery(accountNamesQuery(draft))
  return (
    <FilterField
      label="Account"
      placeholder="Any account"
      value={value}
      error={error}
      suggestions={names}
      onDraft={setDraft}
      onApply={onApply}
    />
  )
}
