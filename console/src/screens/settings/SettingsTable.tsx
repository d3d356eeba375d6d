import type { Setting } from '../../api/schema.ts'
import { Badge } from '../../ui/Badge.tsx'
import './settings.css'

export function SettingsTable({ settings }: { settings: readonly Setting[] }) {
  return (
    <table className="settings" aria-label="Settings">
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
          <th scope="col">Default</th>
          <th scope="col">Source</th>
        </tr>
      </thead>
      <tbody>
        {settings.map(setting => (
          <SettingRow key={setting.name} setting={setting} />
        ))}
      </tbody>
    </table>
  )
}

function SettingRow({ setting: { name, value, default: usual, source, meaning } }: { setting: Setting }) {
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
        <p>{meaning}</p>
      </th>
      <td data-label="Value">
        <Value value={value} />
      </td>
      <td data-label="Default">
        <Value value={usual} />
      </td>
      <td data-label="Source">
        {source === 'environment' ? <Badge tone="change">Environment</Badge> : <Badge>Default</Badge>}
      </td>
    </tr>
  )
}

function Value({ value }: { value: string | null }) {
  if (value === null || value === '') return <span className="muted">not set</span>
  return <code>{value}</code>
}
