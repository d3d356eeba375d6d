import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { accountNameQuery, suggestedAccountsQuery } from '../../data/account-choice.ts'
import { Field } from '../../ui/Field.tsx'
import { useUsageSearch } from './range.ts'

/** Finds an account by its name, with suggestions. In the address is its id, or what was typed. */
export function AccountFilter({ error }: { error: string | undefined }) {
  const [{ account }, change] = useUsageSearch()
  const list = useId()
  const [typed, setTyped] = useState<string>()
  const { data: name = account ?? '' } = useQuery(accountNameQuery(account))
  const { data: suggested = [] } = useQuery(suggestedAccountsQuery(typed))

  function apply(text: string) {
    const chosen = suggested.find(one => one.name === text)
    change({ account: chosen ? String(chosen.id) : text.trim() || undefined, key: undefined })
  }

  function type(text: string) {
    setTyped(text)
    if (text === '' || suggested.some(one => one.name === text)) apply(text)
  }

  return (
    <>
      <Field
        label="Account"
        type="search"
        dir="auto"
        list={list}
        placeholder="All accounts"
        autoComplete="off"
        value={typed ?? name}
        onChange={event => type(event.target.value)}
        onKeyDown={event => event.key === 'Enter' && apply(typed ?? name)}
        onBlur={() => typed !== undefined && typed !== name && apply(typed)}
        error={error}
      />
      <datalist id={list}>
        {suggested.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </>
  )
}
