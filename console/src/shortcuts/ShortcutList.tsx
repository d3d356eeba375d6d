import { Dialog } from '../ui/Dialog.tsx'
import { Keys } from '../ui/Keys.tsx'
import { type Shortcut, shortcuts } from './shortcuts.ts'

const TABLE: readonly Shortcut[] = [
  { keys: 'j', name: 'Next row, also ↓' },
  { keys: 'k', name: 'Previous row, also ↑' },
  { keys: 'enter', name: 'Open the row' },
  { keys: 'Space', name: 'Select the row; with Shift, a range' },
]

const DIALOG: readonly Shortcut[] = [
  { keys: 'mod+enter', name: 'Save' },
  { keys: 'Esc', name: 'Close' },
]

export function ShortcutList({ onClose }: { onClose(): void }) {
  const current = shortcuts.use()
  const leads = ({ keys }: Shortcut) => keys.startsWith('g ')
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="stack" tabIndex={0} aria-label="Shortcuts">
        <Group name="On this screen" shortcuts={current.filter(one => !leads(one))} />
        <Group name="In a table" shortcuts={TABLE} />
        <Group name="In a dialog" shortcuts={DIALOG} />
        <Group name="Go to" shortcuts={current.filter(leads)} />
      </section>
    </Dialog>
  )
}

function Group({ name, shortcuts }: { name: string; shortcuts: readonly Shortcut[] }) {
  return (
    <section>
      <h3 className="hint">{name}</h3>
      <dl className="lines">
        {shortcuts.map(({ keys, name }) => (
          <div key={`${keys} ${name}`} className="row is-spread">
            <dt>{name}</dt>
            <dd>
              <Keys keys={keys} />
              <span className="visually-hidden">{keys}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
