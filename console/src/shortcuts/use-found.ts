import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { fold } from '../../../src/domain/fold.ts'
import type { Query } from '../api/call.ts'
import { valueQuery } from '../data/query.ts'
import { cacheKey } from '../data/query-keys.ts'
import { addVisit, type Visit } from './recent.ts'
import type { Command, CommandGroup } from './use-commands.ts'

const PAUSE_MS = 200
const MAX_FOUND = 5
/** A number, with or without #, is the id of an animal. */
const NUMBER = /^#?(\d+)$/

interface Found {
  groups: CommandGroup[]
  isSearching: boolean
  error: Error | null
}

/** The animals, accounts and keys whose names contain a text. An outdated search is aborted. */
export function useFound(text: string): Found {
  const settled = useSettled(text)
  const navigate = useNavigate()
  const number = NUMBER.exec(fold(settled))?.[1]
  const animals = useQuery(searchQuery('pets', settled, number ? { id: number } : { name: settled }))
  const accounts = useQuery(searchQuery('accounts', settled, { name: settled }))
  const keys = useQuery(searchQuery('keys', settled, { search: settled }))
  const open = (visit: Visit) => () => {
    addVisit(visit)
    void navigate({ to: visit.to, search: visit.search })
  }

  const groups: CommandGroup[] = [
    {
      name: 'Animals',
      commands: rowsOf(animals, ({ id, name }) => ({
        name,
        icon: 'animals',
        detail: `Number ${id}`,
        run: open({ to: '/animals', search: { open: String(id) }, name }),
      })),
    },
    {
      name: 'Accounts',
      commands: rowsOf(accounts, ({ id, name, plan }) => ({
        name,
        icon: 'accounts',
        detail: plan,
        run: open({ to: `/accounts/${id}`, search: {}, name }),
      })),
    },
    {
      name: 'Keys',
      commands: rowsOf(keys, ({ id, name, account, hint }) => ({
        name: name ?? `Key ${id}`,
        icon: 'keys',
        detail: `…${hint} · ${account}`,
        run: open({ to: '/keys', search: { key: String(id) }, name: name ?? `Key ${id}` }),
      })),
    },
  ]
  const asked = [animals, accounts, keys]
  return {
    groups: settled === '' || text === '' ? [] : groups,
    isSearching: text !== settled || asked.some(({ isFetching }) => isFetching),
    error: asked.find(({ error }) => error)?.error ?? null,
  }
}

function searchQuery<Of extends 'pets' | 'accounts' | 'keys'>(resource: Of, text: string, filter: Query) {
  const query = { ...filter, limit: MAX_FOUND }
  return valueQuery(cacheKey(resource, 'found', query), `/${resource}`, query, {
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
}

function rowsOf<Row>({ data = [] }: { data: readonly Row[] | undefined }, commandOf: (row: Row) => Command): Command[] {
  return data.map(commandOf)
}

/** The text, updated when the typing pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
