import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useId } from 'react'
import { accountSuggestionsQuery } from '../../data/accounts.ts'
import { secretRefusal } from '../../lib/secrets.ts'
import { Field } from '../../ui/Field.tsx'
import { Suggestions } from '../Suggestions.tsx'

interface AccountFieldProps extends ComponentProps<'input'> {
  /** The text that was typed. */
  text: string
  error?: string | undefined
}

/** The name of an account, in a form. The browser suggests matching ones. */
export function AccountField({ text, error, ...input }: AccountFieldProps) {
  const listId = useId()
  const refusal = secretRefusal(text)
  const { data: accounts = [] } = useQuery(accountSuggestionsQuery(refusal ? '' : text))
  return (
    <>
      <Field
        label="Account"
        dir="auto"
        autoComplete="off"
        list={listId}
        hint="Type part of its name, then choose it."
        {...input}
        id={undefined}
        error={refusal ?? error}
      />
      <Suggestions id={listId} texts={accounts.map(({ name }) => name)} />
    </>
  )
}
