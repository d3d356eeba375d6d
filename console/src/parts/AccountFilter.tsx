import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountNameQuery, accountSuggestionsQuery } from '../data/account-choice.ts'
import { FilterField } from './FilterField.tsx'

interface AccountFilterProps {
  /** The id of an account, or the text that was typed: the service reports it if no such account exists. */
  value: string | undefined
  error?: string | undefined
  onApply(account: string): void
}

/** Narrows a list to one account, and suggests names while the operator types. */
export function AccountFilter({ value, error, onApply }: AccountFilterProps) {
  const [draft, setDraft] = useState('')
  const { data: name = value } = useQuery(accountNameQuery(value))
  const { data: accounts = [] } = useQuery(accountSuggestionsQuery(draft))
  return (
    <FilterField
      label="Account"
      placeholder="All accounts"
      value={name}
      error={error}
      suggestions={accounts.map(account => account.name)}
      onDraft={setDraft}
      onApply={text => onApply(String(accounts.find(account => account.name === text)?.id ?? text))}
    />
  )
}
