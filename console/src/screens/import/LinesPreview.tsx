import { useQuery } from '@tanstack/react-query'
import { firstLinesQuery } from '../../data/imports.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { Excerpt } from './Excerpt.tsx'
import { Problem } from './Problem.tsx'

/** The first lines of an NDJSON file. */
export function LinesPreview({ fileId, file }: { fileId: string; file: File }) {
  const { data: lines, error } = useQuery(firstLinesQuery(fileId, file))
  if (error) return <Problem error={error} />
  if (!lines) return null
  return (
    <div className="import-section panel">
      <h3>The first {formatCounted(lines.length, 'line')}</h3>
      <Excerpt label="First lines of the file">{lines.join('\n')}</Excerpt>
    </div>
  )
}
