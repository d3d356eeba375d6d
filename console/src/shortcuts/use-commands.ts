import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { fold } from '../../../src/domain/fold.ts'
import type { Query } from '../api/call.ts'
import type { Account, Key, Pet } from '../api/schema.ts'
import { valueQuery } from '../data/query.ts'
import type { Path } from '../data/query-keys.ts'
import { useIsAdmin } from '../data/session.ts'
import { pastedSecret } from '../lib/secrets.ts'
import { expectOverlay } from '../lib/type-ahead.ts'
import { useTheme, useZone } from '../lib/use-preferences.ts'
import { GROUPS } from '../shell/places.ts'
import { useSafeSignOut } from '../shell/use-sign-out.ts'
import type { IconName } from '../ui/Icon.tsx'
import { ACTIONS, type Action, perform, shortcuts } from './shortcuts.ts'
import { addVisit, readVisits, type Visit } from './visits.ts'

export interface Command {
  name: string
  icon: IconName
  /** Distinguishes it from others with the same name. */
  detail?: string | undefined
  keys?: string | undefined
  run(): void
}

export interface CommandGroup {
  name: string
  items: readonly Command[]
}

/** The commands that the palette offers without asking the service: those that contain all words of a text. */
export function useCommands(text: string): CommandGroup[] {
  const recent = useRecent()
  const [actions, screens] = [useActions(), useScreens()]
  const groups = [
    ...(text === '' ? [{ name: 'Recently visited', items: recent }] : []),
    { name: 'Actions', items: actions },
    { name: 'Screens', items: screens },
  ]
  return withWords(text, groups)
}

/** The commands that contain all words of a text. */
function withWords(text: string, groups: readonly CommandGroup[]): CommandGroup[] {
  const words = fold(text).split(/\s+/)
  const matches = ({ name, detail = '' }: Command) => words.every(word => fold(`${name} ${detail}`).includes(word))
  return groups.map(({ name, items }) => ({ name, items: items.filter(matches) }))
}

function useRecent(): Command[] {
  const navigate = useNavigate()
  return readVisits().map(({ to, search, name }) => ({
    name,
    icon: 'history',
    run: () => void navigate({ to, search }),
  }))
}

function useScreens(): Command[] {
  const navigate = useNavigate()
  return useAllowed(GROUPS.flatMap(({ places }) => places)).map(({ to, name, icon, letter }) => ({
    name,
    icon,
    keys: `g ${letter}`,
    run: () => void navigate({ to }),
  }))
}

function useActions(): Command[] {
  const navigate = useNavigate()
  const begin = useBegin()
  const [theme, setTheme] = useTheme()
  const [zone, setZone] = useZone()
  const signOut = useSafeSignOut()
  const everywhere = useAllowed<Action>(Object.values(ACTIONS)).map(({ name, to, icon }) => ({
    name,
    icon,
    run: () => void begin(name, to),
  }))
  const names = new Set(everywhere.map(({ name }) => name))
  const here = shortcuts.use().filter(({ name, keys, run }) => run && !names.has(name) && !/^(g |mod\+k$)/.test(keys))
  return [
    ...everywhere,
    { name: 'Find the owner of a key', icon: 'keys', run: () => pastedSecret.set('') },
    { name: 'Import animals', icon: 'import', run: () => void navigate({ to: '/import' }) },
    ...(['light', 'dark', 'system'] as const)
      .filter(one => one !== theme)
      .map(one => ({
        name: one === 'system' ? 'Use system colours' : `Use ${one} colours`,
        icon: 'settings' as const,
        run: () => setTheme(one),
      })),
    zone === 'utc'
      ? { name: 'Show times in local time', icon: 'history', run: () => setZone('local') }
      : { name: 'Show times in UTC', icon: 'history', run: () => setZone('utc') },
    ...here.map(({ name, keys }) => ({ name, keys, icon: 'chevron' as const, run: () => perform(name) })),
    { name: 'Sign out', icon: 'close', run: signOut },
  ]
}

/** Goes to the screen of an action, and starts it there. */
function useBegin() {
  const router = useRouter()
  return async (name: string, to: Action['to']) => {
    expectOverlay()
    if (router.state.location.pathname !== to) {
      const chosenAt = Date.now()
      await router.navigate({ to, state: { chosenAt } })
      // If the operator stays because of unsaved changes, their next navigation replaces this one.
      if (router.state.location.state.chosenAt !== chosenAt) return
    }
    perform(name)
  }
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** When the action was chosen, in Unix milliseconds. */
    chosenAt?: number
  }
}

function useAllowed<Item extends { needsAdmin?: boolean }>(items: readonly Item[]): readonly Item[] {
  const isAdmin = useIsAdmin()
  return items.filter(({ needsAdmin }) => isAdmin || !needsAdmin)
}

const PAUSE_MS = 200
/** Of each kind. */
export const MAX_FOUND = 5
/** A number, with or without #, is the id of an animal. */
const NUMBER = /^#?(\d+)$/

/** The animals, accounts and keys whose names contain a text. An outdated search is aborted. */
export function useFound(text: string): {
  groups: CommandGroup[]
  /** Whether there may be more. */
  isCut: boolean
  isSearching: boolean
  error: Error | null
} {
  const settled = useSettled(text)
  const navigate = useNavigate()
  const number = NUMBER.exec(fold(settled))?.[1]
  const animals = useQuery(searchQuery<Pet>('/pets', settled, number ? { id: number } : { name: settled }))
  const accounts = useQuery(searchQuery<Account>('/accounts', settled, { name: settled }))
  const keys = useQuery(searchQuery<Key>('/keys', settled, { search: settled }))
  const open = (visit: Visit) => () => {
    addVisit(visit)
    void navigate({ to: visit.to, search: visit.search })
  }

  const groups: CommandGroup[] = [
    {
      name: 'Animals',
      items: (animals.data ?? []).map(({ id, name }) => ({
        name,
        icon: 'animals',
        detail: `Number ${id}`,
        run: open({ to: '/animals', search: { open: String(id) }, name }),
      })),
    },
    {
      name: 'Accounts',
      items: (accounts.data ?? []).map(({ id, name, plan }) => ({
        name,
        icon: 'accounts',
        detail: plan,
        run: open({ to: `/accounts/${id}`, search: {}, name }),
      })),
    },
    {
      name: 'Keys',
      items: (keys.data ?? []).map(({ id, name, account, hint }) => ({
        name: name ?? `Key ${id}`,
        icon: 'keys',
        detail: `…${hint} · ${account}`,
        run: open({ to: '/keys', search: { key: String(id) }, name: name ?? `Key ${id}` }),
      })),
    },
  ]
  const asked = [animals, accounts, keys]
  const isOutdated = text !== settled || asked.some(({ isPlaceholderData }) => isPlaceholderData)
  return {
    // Of what was found for an earlier text, Enter must not open anything else.
    groups: settled === '' || text === '' ? [] : isOutdated ? withWords(text, groups) : groups,
    isCut: asked.some(({ data }) => data?.length === MAX_FOUND),
    isSearching: text !== settled || asked.some(({ isFetching }) => isFetching),
    error: asked.find(({ error }) => error)?.error ?? null,
  }
}

function searchQuery<Row>(path: Path, text: string, filter: Query) {
  const behaviour = { enabled: text !== '', placeholderData: keepPreviousData }
  return valueQuery<Row[]>(path, { ...filter, limit: MAX_FOUND }, behaviour)
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
