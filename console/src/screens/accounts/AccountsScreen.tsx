import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useForm } from 'react-hook-form'
import { type AccountFilter, accountPages, useCreateAccount } from '../../data/accounts.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { fieldOf } from '../../lib/forms.ts'
import { controlsOf, useFilters } from '../../lib/search.ts'
import { PLAN_OPTIONS, PlanFields, type PlanValues, planChoiceOf } from '../../parts/accounts/plans.tsx'
import { DataTable } from '../../parts/DataTable.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../parts/Filters.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { EmptyState } from '../../ui/states.tsx'
import { addToast } from '../../ui/toasts.ts'
import { COLUMNS } from './columns.tsx'
import './accounts.css'

/** Who may call the public API, and how often. */
export function AccountsScreen() {
  const [filter, change, clear] = useFilters<AccountFilter>()
  const control = controlsOf(filter, change)
  const navigate = useNavigate()
  const isAdmin = useIsAdmin()
  const [isCreating, setIsCreating] = useState(false)
  useAction('createAccount', () => setIsCreating(true), isAdmin)
  const list = useRows(accountPages(filter))
  const isFiltered = [filter.name, filter.plan, filter.state].some(Boolean)
  const create = isAdmin && (
    <Button icon="plus" kind="primary" onClick={() => setIsCreating(true)}>
      Create an account
    </Button>
  )
  return (
    <Screen
      title="Accounts"
      description="Each partner or app has an account. Its plan limits how often its API keys may call."
      actions={create}
      isFixed
    >
      <FilterBar
        label="Filter accounts"
        isSet={isFiltered}
        onClear={clear}
        main={<SearchField label="Search by name" {...control('name')} />}
      >
        <FilterSelect label="Plan" options={PLANS} {...control('plan')} />
        <FilterSelect label="State" options={STATES} {...control('state')} />
        <FilterSelect label="Order" options={ORDERS} {...control('sort')} />
      </FilterBar>
      <DataTable
        label="Accounts"
        columns={COLUMNS}
        order={filter.sort}
        onOrder={sort => change({ sort })}
        onOpen={({ id }) => navigate({ to: '/accounts/$accountId', params: { accountId: String(id) } })}
        {...list}
        onClear={clear}
        empty={
          isFiltered ? (
            <EmptyState title="No account matches" action={<Button onClick={clear}>Clear filters</Button>}>
              Try a shorter part of the name, or another plan.
            </EmptyState>
          ) : (
            <EmptyState title="No accounts yet" action={create}>
              Create one for each partner or app that calls the API. Then issue an API key to it.
            </EmptyState>
          )
        }
      />
      {isCreating && <CreateAccountDialog onClose={() => setIsCreating(false)} />}
    </Screen>
  )
}

const PLANS = [{ value: '', name: 'All plans' }, ...PLAN_OPTIONS]
const STATES = [
  { value: '', name: 'All states' },
  { value: 'active', name: 'Active' },
  { value: 'suspended', name: 'Suspended' },
]
const ORDERS = [
  { value: '', name: 'Oldest first' },
  { value: 'newest', name: 'Newest first' },
  { value: 'name', name: 'By name' },
  { value: 'usage', name: 'Largest share of the limit' },
  { value: 'refused', name: 'Most refused today' },
]

function CreateAccountDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  const create = useCreateAccount()
  const form = useForm<PlanValues & { name: string }>({
    defaultValues: { name: '', plan: 'free', perMinute: '', perDay: '' },
  })
  return (
    <FormDialog
      title="Create an account"
      description="Create one for each partner or app that calls the API."
      action="Create the account"
      form={form}
      onSave={async values => {
        const { id, name } = await create.mutateAsync({ name: values.name, ...planChoiceOf(values) })
        // Closed before the screen is left: leaving an open form needs confirmation.
        flushSync(onClose)
        addToast({
          title: sentence`The account “${name}” is created`,
          description: 'Issue an API key to it next.',
        })
        await navigate({ to: '/accounts/$accountId', params: { accountId: String(id) } })
      }}
      onClose={onClose}
    >
      <Field label="Name" dir="auto" autoComplete="off" {...fieldOf(form, 'name')} />
      <PlanFields />
    </FormDialog>
  )
}
