import { useState } from 'react'
import type { Ban } from '../../api/schema.ts'
import { bansQuery } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { filterErrors } from '../../lib/forms.ts'
import { optionsOf } from '../../lib/options.ts'
import { controlsOf, type Texts, useFilters, useOpened } from '../../lib/search.ts'
import { BanOrdinal, BanState, keyLabel, sourceLabel } from '../../parts/bans/facts.tsx'
import { LiftDialog } from '../../parts/bans/LiftDialog.tsx'
import { ClearButton } from '../../parts/ClearButton.tsx'
import { type Column, DataTable, type Empty } from '../../parts/DataTable.tsx'
import { AccountFilter, FilterBar, FilterSelect } from '../../parts/Filters.tsx'
import { KeyDrawer } from '../../parts/keys/KeyDrawer.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Button } from '../../ui/Button.tsx'

const STATES = optionsOf({ '': 'In force', all: 'In force and past' })

export function BansScreen() {
  const [{ key: _, ...filters }, change, clear] = useFilters<BanFilters & { key?: string }>()
  const { opened, open, close } = useOpened('key')
  const [lifting, setLifting] = useState<Ban>()
  const isAdmin = useIsAdmin()
  const list = useRows(bansQuery(filters))
  const control = controlsOf(filters, change, filterErrors(list.error))
  return (
    <Screen
      title="Bans"
      description="A key is banned temporarily for an address that keeps calling instead of waiting. Bans end automatically."
      isFixed
    >
      <FilterBar
        label="Filter the bans"
        isSet={Object.values(filters).some(Boolean)}
        onClear={clear}
        main={
          <>
            <FilterSelect label="State" options={STATES} {...control('state')} />
            <AccountFilter {...control('account')} />
          </>
        }
      />
      <DataTable
        label="Bans"
        columns={columnsOf(isAdmin ? setLifting : undefined)}
        onOpen={({ keyId }) => open(String(keyId))}
        {...list}
        onClear={clear}
        empty={emptyOf(filters, change)}
      />
      {opened && <KeyDrawer keyId={opened} onClose={close} />}
      {lifting && <LiftDialog ban={lifting} onClose={() => setLifting(undefined)} />}
    </Screen>
  )
}

/** @param onLift undefined if the operator may not lift bans */
function columnsOf(onLift: ((ban: Ban) => void) | undefined): Column<Ban>[] {
  const columns: Column<Ban>[] = [
    {
      name: 'Key',
      cell: ban => (
        <strong dir="auto" title={keyLabel(ban)}>
          {keyLabel(ban)}
        </strong>
      ),
    },
    { name: 'Account', onPhone: 'plain', cell: ({ account }) => <bdi title={account ?? undefined}>{account}</bdi> },
    { name: 'Address', onPhone: 'plain', cell: ban => <span title={sourceLabel(ban)}>{sourceLabel(ban)}</span> },
    { name: 'State', width: '11.5rem', onPhone: 'plain', cell: ban => <BanState ban={ban} /> },
    { name: 'Began', width: '9.5rem', isSecondary: true, cell: ({ startedAt }) => <TimeText at={startedAt} /> },
    { name: 'Length', width: '12rem', onPhone: 'plain', cell: ban => <BanOrdinal ban={ban} /> },
  ]
  if (!onLift) return columns
  const lift = (ban: Ban) =>
    ban.state === 'in-force' && (
      <Button aria-label={`Lift the ban of ${keyLabel(ban)} for ${sourceLabel(ban)}`} onClick={() => onLift(ban)}>
        Lift
      </Button>
    )
  return [...columns, { name: 'Action', width: '5rem', cell: lift }]
}

type BanFilters = Texts<'state' | 'account'>

/** There are no bans, or none that match. */
function emptyOf({ state, account }: BanFilters, change: (filters: BanFilters) => void): Empty {
  const isAll = state === 'all'
  if (account !== undefined) {
    const text = isAll ? 'None of its keys has ever been banned.' : 'None of its keys is banned now.'
    const others = <ClearButton onClear={() => change({ account: '' })}>Show all accounts</ClearButton>
    return ['No bans of this account', text, others]
  }
  if (isAll) return ['No key has ever been banned', 'A key that keeps calling instead of waiting appears here.']
  const past = <ClearButton onClear={() => change({ state: 'all' })}>Show past bans</ClearButton>
  return ['No key is banned', 'All is well: every program waits when the service asks it to.', past]
}
