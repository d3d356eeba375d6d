import { type AuditFilter, auditExportUrl } from '../../data/audit.ts'
import { useZone } from '../../lib/use-zone.ts'
import { Icon } from '../../ui/Icon.tsx'

const FORMATS = [
  ['csv', 'Export CSV', 'For a spreadsheet'],
  ['ndjson', 'Export NDJSON', 'For programs: one line of JSON for each entry'],
] as const

/** Links to all matching entries, not only the loaded ones. */
export function Export({ filter }: { filter: AuditFilter }) {
  const [zone] = useZone()
  return FORMATS.map(([format, name, title]) => (
    <a key={format} className="button button-plain" title={title} href={auditExportUrl(filter, zone, format)} download>
      <Icon name="export" />
      {name}
    </a>
  ))
}
