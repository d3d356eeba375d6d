import { type AnyRouter, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { secretIn } from '../../../src/domain/secret-forms.ts'

/** The query of a URL. All values are text: an id, or a search for "12", is not turned into a number. */
type Search = Readonly<Record<string, string | undefined>>

/** Values for some of these names, such as the filters of a list. The service validates them. */
export type Texts<Name extends string> = { [name in Name]?: string | undefined }

/** Leaves out undefined and empty values, and secrets. */
export function formatSearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(
    ([, value]) => value !== undefined && value !== '' && !secretIn(String(value)),
  )
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

/** The query parameters that a screen uses. The service validates them. */
export function pickSearch<Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>): Texts<Name> => {
    const given = names.filter(name => search[name] !== undefined && search[name] !== '')
    return Object.fromEntries(given.map(name => [name, String(search[name])])) as Texts<Name>
  }
}

/** The search of the screen, with functions to change and to clear it. The browser's back button undoes a change, unless that replaces the last one. */
export function useFilters<Filters extends Search>() {
  const filters = useSearch({ strict: false }) as Search as Filters
  const navigate = useNavigate()
  const show = (search: (previous: Search) => Search, replace = false) =>
    void navigate({ to: '.', search: search as never, replace, resetScroll: false })
  const change = (changed: Partial<Filters>, replace?: boolean) =>
    show(previous => ({ ...previous, ...changed }), replace)
  return [filters, change, () => show(() => ({}))] as const
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** How many steps ago no record was open, if only records have been opened since. */
    opened?: number | undefined
  }
}

/** The browser goes back a moment after it is asked to. Being asked again meanwhile, it would leave the screen. */
let goingBack: Promise<void> | undefined

function goBack(steps: number, { history }: AnyRouter): void {
  const gone = new Promise<unknown>(resolve => {
    // The router follows the browser in the same task.
    addEventListener('popstate', () => setTimeout(resolve), { once: true })
    // The back button may just have been pressed: from there, the same number of steps would leave the screen.
    const { navigation } = window as Partial<Window>
    const target = navigation?.entries()[(navigation.currentEntry?.index ?? 0) - steps]
    if (target) navigation?.traverseTo(target.key).committed?.catch(resolve)
    else history.go(-steps)
  })
  goingBack = gone.then(() => {
    goingBack = undefined
  })
}

/** Lets every navigation wait until the browser has gone back, which would undo it. */
export function waitForGoingBack(router: AnyRouter): void {
  const { navigate } = router
  router.navigate = async options => {
    if (goingBack) await goingBack
    return navigate(options)
  }
}

/** The record that is open over a list or beside it, as in the search. The browser's back button closes it, and does not open it again. */
export function useOpened(name: 'open' | 'key') {
  const router = useRouter()
  const { [name]: opened } = useSearch({ strict: false }) as Search
  /** The address, because a message may open a record later, and the screen follows a moment after it. */
  const now = () => {
    const { search, state } = router.latestLocation
    const opened = goingBack ? undefined : (search as Search)[name]
    return { opened, steps: opened === undefined ? 0 : state.opened }
  }
  const show = (id: string | undefined, how: { replace?: boolean; state?: true | { opened: number | undefined } }) => {
    const search = (previous: Search) => ({ ...previous, [name]: id })
    void router.navigate({ to: '.', search: search as never, resetScroll: false, ...how })
  }
  return {
    opened,
    open(id: string): void {
      const { opened, steps } = now()
      if (id !== opened) show(id, { state: { opened: steps === undefined ? undefined : steps + 1 } })
    },
    /** Opens another record instead, without a step of its own. */
    exchange: (id: string) => goingBack || show(id, { replace: true, state: true }),
    close(): void {
      const { steps } = now()
      if (goingBack) return
      if (steps) goBack(steps, router)
      else show(undefined, { replace: true })
    },
  }
}

/** The properties of the control of a filter. Further typing adds nothing to the history of the browser. */
export function controlsOf<Filters extends Search>(
  filters: Filters,
  change: (change: Partial<Filters>, replace?: boolean) => void,
  errors?: ReadonlyMap<string, string>,
) {
  return (name: keyof Filters & string, isTyped = false) => ({
    value: filters[name],
    error: errors?.get(name),
    onChoose: (value: string | undefined) =>
      change({ [name]: value } as Partial<Filters>, isTyped && filters[name] !== undefined),
  })
}
