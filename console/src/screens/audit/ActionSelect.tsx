import { ACTION_NAMES } from '../../lib/action-names.ts'
import { KIND_NAMES } from '../../lib/audit-words.ts'
import { Labelled } from '../../ui/Labelled.tsx'
import '../../ui/select.css'

interface ActionSelectProps {
  value: string | undefined
  error: string | undefined
  onChoose(action: string): void
}

const ACTIONS = Object.entries(ACTION_NAMES)

/** An action, or all actions of a kind. */
export function ActionSelect({ value = '', error, onChoose }: ActionSelectProps) {
  return (
    <Labelled label="Action" error={error}>
      {control => (
        <select {...control} className="input select" value={value} onChange={({ target }) => onChoose(target.value)}>
          <option value="">Any action</option>
          {Object.entries(KIND_NAMES).map(([kind, name]) => (
            <Kind key={kind} kind={kind} name={name} />
          ))}
        </select>
      )}
    </Labelled>
  )
}

function Kind({ kind, name }: { kind: string; name: string }) {
  const actions = ACTIONS.filter(([action]) => action.startsWith(`${kind}.`))
  return (
    <optgroup label={name}>
      {actions.length > 1 && <option value={kind}>{name}: all</option>}
      {actions.map(([action, words]) => (
        <option key={action} value={action}>
          {words}
        </option>
      ))}
    </optgroup>
  )
}
