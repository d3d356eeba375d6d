import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { tabList } from '../lib/leaving.ts'

/** A recently visited screen, to return to. */
export interface Visit {
  to: string
  search: Readonly<Record<string, string>>
  name: string
}

const RECENT = tabList<Visit>('petstore-recent')
const MAX_VISITS = 6
const TITLE_END = ' · Petstore'

/** Newest first. They last as long as the tab. */
export const readVisits = RECENT.read

export function addVisit(visit: Visit): void {
  const others = readVisits().filter(({ to, name }) => to !== visit.to || name !== visit.name)
  RECENT.write([visit, ...others].slice(0, MAX_VISITS))
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
