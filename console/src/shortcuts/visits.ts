import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** A recently visited screen, to return to. */
export interface Visit {
  to: string
  search: Readonly<Record<string, string>>
  name: string
}

const KEY = 'petstore-recent'
const MAX_VISITS = 6
const TITLE_END = ' · Petstore'

/** Newest first. They last as long as the tab. */
export function readVisits(): readonly Visit[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
  } catch {
    return []
  }
}

export function addVisit(visit: Visit): void {
  const others = readVisits().filter(({ to, name }) => to !== visit.to || name !== visit.name)
  try {
    sessionStorage.setItem(KEY, JSON.stringify([visit, ...others].slice(0, MAX_VISITS)))
  } catch {}
}

/** Remembers each screen, with its filters, when the operator leaves it. */
export function useVisits(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged || !document.title.endsWith(TITLE_END)) return
        const { pathname, search } = fromLocation
        addVisit({ to: pathname, search: { ...search }, name: document.title.slice(0, -TITLE_END.length) })
      }),
    [router],
  )
}
