import { useEffect, useEffectEvent, useState } from 'react'
import { formatCount } from '../../lib/numbers.ts'
import { useOpened } from '../../lib/search.ts'

interface List {
  rows: readonly { id: bigint }[]
  hasMore: boolean
  onEnd(): unknown
  /** Undefined if not known. */
  total: number | undefined
}

export type Steps = ReturnType<typeof useSteps>

/** From the open animal to the next and the previous one in the list. */
export function useSteps({ rows, hasMore, onEnd, total }: List) {
  const { opened: open, exchange } = useOpened('open')
  const found = open === undefined ? -1 : rows.findIndex(({ id }) => String(id) === open)
  // A correction can remove the open animal from the list: it is then between its former neighbours.
  const [seen, setSeen] = useState({ open, found })
  if (found >= 0 && (seen.open !== open || seen.found !== found)) setSeen({ open, found })
  const at = found < 0 && seen.open === open && seen.found >= 0 ? seen.found - 0.5 : found
  const indexAfter = (step: number) => (at === -1 ? -1 : step + (step > 0 ? Math.floor(at) : Math.ceil(at)))

  /** The animal whose next one is not loaded yet. */
  const [waiting, setWaiting] = useState<string>()
  const hasArrived = waiting === open && rows[indexAfter(1)] !== undefined
  const proceed = useEffectEvent(() => {
    setWaiting(undefined)
    onStep(1)
  })
  useEffect(() => {
    if (hasArrived) proceed()
  }, [hasArrived])

  function canStep(step: number): boolean {
    const index = indexAfter(step)
    return index >= 0 && index < rows.length + Number(hasMore)
  }

  function onStep(step: number): void {
    if (!canStep(step)) return
    const row = rows[indexAfter(step)]
    if (row) exchange(String(row.id))
    else {
      setWaiting(open)
      onEnd()
    }
  }

  const count = hasMore ? total : rows.length
  const position = !canStep(1) && canStep(-1) ? 'Last' : canStep(1) && !canStep(-1) ? 'First' : formatCount(found + 1)
  const place = count === undefined ? position : `${position} of ${formatCount(count)}`
  return { canStep, onStep, place: found < 0 ? undefined : place }
}
