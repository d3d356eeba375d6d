import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useId } from 'react'
import { accountSuggestionsQuery } from '../../data/accounts.ts'
import { Field } from '../../ui/Field.tsx'

interface AccountFieldProps extends ComponentProps<'input'> {
  /** What has been typed. */
  text: string
  error?: string | undefined
}

/** The name of an account. The browser offers those that match. */
export function AccountField({ text, error, ...input }: AccountFieldProps) {
  const listId = useId()
  const { data: accounts } = useQuery(accountSuggestionsQuery(text))
  return (
    <>
      <Field
        label="Account"
        dir="auto"
        autoComplete="off"
        list={listId}
        hint="Type part of its name, and choose."
        {...input}
        id={undefined}
        error={error}
      />
      <datalist id={listId}>
        {accounts?.map(({ id, name }) => (
          <option key={String(id)} value={name} />
        ))}
      </datalist>
    </>
  )
}
