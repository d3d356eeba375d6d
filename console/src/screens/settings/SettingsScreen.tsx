import { useQuery } from '@tanstack/react-query'
import { fold } from '../../../../src/domain/fold.ts'
import type { Setting } from '../../api/schema.ts'
import { settingsQuery } from '../../data/service.ts'
import { optionsOf } from '../../lib/options.ts'
import { controlsOf, type Texts, useFilters } from '../../lib/search.ts'
import { ClearButton } from '../../parts/ClearButton.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../parts/Filters.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TableHead } from '../../parts/TableHead.tsx'
import { Badge, EmptyState } from '../../ui/states.tsx'
import './settings.css'

const SOURCES = optionsOf({ '': 'All settings', set: 'Set on this machine', default: 'Left at the default' })

type SettingsFilter = Texts<'search' | 'source'>

export function SettingsScreen() {
  const [filter, change, clear] = useFilters<SettingsFilter>()
  const control = controlsOf(filter, change)
  const { data, error } = useQuery(settingsQuery)
  return (
    <Screen
      title="Settings"
      description="How this instance is configured. Settings are environment variables of the service, or lines of its settings file; changes take effect after a restart. Secrets are not shown."
    >
      <FilterBar
        label="Filter the settings"
        isSet={Object.values(filter).some(Boolean)}
        onClear={clear}
        main={
          <>
            <SearchField label="Search settings" {...control('search', true)} />
            <FilterSelect label="Source" options={SOURCES} {...control('source')} />
          </>
        }
      />
      {error && <ListError error={error} />}
      {!data && !error && <Loading />}
      {data && <Found settings={data.filter(setting => matches(setting, filter))} onClear={clear} />}
    </Screen>
  )
}

function Found({ settings, onClear }: { settings: readonly Setting[]; onClear(): void }) {
  if (settings.length === 0) {
    return <EmptyState title="No setting matches" action={<ClearButton onClear={onClear} />} />
  }
  const topics = [...new Set(settings.map(({ topic }) => topic))]
  return topics.map(one => (
    <SettingsTable key={one} title={one} settings={settings.filter(({ topic }) => topic === one)} />
  ))
}

function matches({ name, value, meaning, source }: Setting, { search = '', source: wanted }: SettingsFilter): boolean {
  const text = fold(`${name} ${value ?? ''} ${meaning}`)
  const words = fold(search).split(/\s+/)
  const isWanted = !wanted || (wanted === 'default') === (source === 'default')
  return isWanted && words.every(word => text.includes(word))
}

/** The settings of a topic with their values, and with the defaults of those that are set. */
function SettingsTable({ title, settings }: { title: string; settings: readonly Setting[] }) {
  return (
    <Panel title={title} isFlush>
      <table className="settings" aria-label={title}>
        <TableHead names={['Setting', 'Value']} className="visually-hidden" />
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
        <code>{name}</code> {source !== 'default' && <Badge tone="good">Set</Badge>}
        <p className="muted">{meaning}</p>
      </th>
      <td>
        <Value value={value} />
        {source !== 'default' && (
          <p className="hint">
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
