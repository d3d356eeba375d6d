import { useMutation } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import { formatCount } from '../../lib/numbers.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { BadLine } from './BadLine.tsx'
import { badLinesFile, save } from './bad-lines-file.ts'
import type { Outcome } from './draft.ts'

const ROW_HEIGHT = 48

/** The lines that cannot be imported: the first ones on screen, all of them to download. */
export function BadLines({ outcome, fileName }: { outcome: Outcome; fileName: string }) {
  const { totals, bad, answer } = outcome
  const download = useMutation({
    mutationFn: async (from: Blob) => save(await badLinesFile(from), nameOf(fileName)),
  })
  return (
    <section className="import-section panel" aria-labelledby="bad-lines">
      <div className="import-file">
        <div>
          <h3 id="bad-lines">Bad lines</h3>
          <p className="muted">{shownOf(bad.length, totals.badLines)}</p>
        </div>
        {answer && (
          <Button isBusy={download.isPending} onClick={() => download.mutate(answer)}>
            Download the bad lines
          </Button>
        )}
      </div>
      {download.error && <Notice tone="danger">{download.error.message}</Notice>}
      <List bad={bad} />
    </section>
  )
}

function shownOf(shown: number, all: number): string {
  if (shown === all) return 'Open a line to see everything that is wrong with it.'
  return `The first ${formatCount(shown)} of ${formatCount(all)}. The download has all of them.`
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
