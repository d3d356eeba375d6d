import { useMutation } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { formatCount, formatCounted } from '../../lib/numbers.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { BadLine } from './BadLine.tsx'
import { badLinesFile, save } from './bad-lines-file.ts'
import type { Draft, Outcome } from './draft.ts'
import { sharedReasonInWords } from './members.ts'

const ROW_HEIGHT = 48

/** The lines that cannot be imported: how many for which reason, the first ones on screen, all of them to download. */
export function BadLines({ draft, outcome }: { draft: Draft; outcome: Outcome }) {
  const { totals, bad } = outcome
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  const download = useMutation({
    mutationFn: async () => save(await badLinesFile(draft, leaving.current.signal), nameOf(draft.file.name)),
  })
  return (
    <section className="import-section panel" aria-labelledby="bad-lines">
      <div className="import-file">
        <div>
          <h3 id="bad-lines">Bad lines</h3>
          <p className="muted">{shownOf(bad.length, totals.badLines)}</p>
        </div>
        <Button isBusy={download.isPending} onClick={() => download.mutate()}>
          Download the bad lines
        </Button>
      </div>
      {download.error && <Notice tone="danger">{download.error.message}</Notice>}
      {totals.reasons.length < totals.badLines && <Reasons reasons={totals.reasons} />}
      <List bad={bad} />
    </section>
  )
}

function shownOf(shown: number, all: number): string {
  if (shown === all) return 'Open a line to see everything that is wrong with it.'
  return `The first ${formatCount(shown)} of ${formatCount(all)}. The download has all of them.`
}

/** Distinguishes one mistake in every line from many mistakes. */
function Reasons({ reasons }: Pick<Outcome['totals'], 'reasons'>) {
  return (
    <ul className="bad-line-reasons" aria-label="Reasons">
      {reasons.map(({ reason, count }) => (
        <li key={reason}>
          <span className="number">{formatCounted(count, 'line')}</span>
          <span dir="auto">{sharedReasonInWords(reason)}</span>
        </li>
      ))}
    </ul>
  )
}

function List({ bad }: { bad: Outcome['bad'] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const virtualizer = useVirtualizer({
    count: bad.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  })
  function toggle(line: number) {
    const next = new Set(open)
    if (!next.delete(line)) next.add(line)
    setOpen(next)
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="bad-lines" ref={scroller} tabIndex={0} aria-label="Bad lines of the file">
      <ul style={{ blockSize: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const line = bad[index]
          return (
            line && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={bad.length}
                aria-posinset={index + 1}
                style={{ translate: `0 ${start}px` }}
              >
                <BadLine bad={line} isOpen={open.has(line.line)} onToggle={() => toggle(line.line)} />
              </li>
            )
          )
        })}
      </ul>
    </section>
  )
}

function nameOf(fileName: string): string {
  return `${fileName.replace(/\.[^.]*$/, '')} – bad lines.csv`
}
