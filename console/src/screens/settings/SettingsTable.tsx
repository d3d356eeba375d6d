import type { Setting } from '../../api/schema.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Badge } from '../../ui/Badge.tsx'
import './settings.css'

/** The settings of a topic with their values, and with the defaults of those that are set. */
export function SettingsTable({ title, settings }: { title: string; settings: readonly Setting[] }) {
  return (
    <Panel title={title} isFlush>
      <table className="settings" aria-label={title}>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {settings.map(setting => (
            <SettingRow key={setting.name} setting={setting} />
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function SettingRow({ setting: { name, value, default: fallback, source, meaning } }: { setting: Setting }) {
  return (
    <tr>
      <th scope="row">
        <code>{name}</code> {source === 'environment' && <Badge tone="good">Set</Badge>}
        <p>{meaning}</p>
      </th>
      <td>
        <Value value={value} />
        {source === 'environment' && (
          <p className="muted">
            Default: <Value value={fallback} />
          </p>
        )}
      </td>
    </tr>
  )
}

function Value({ value }: { value: string | null }) {
  if (value === null || value === '') return <span className="muted">not set</span>
  return <code>{value}</code>
}
