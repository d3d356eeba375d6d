import './keys.css'

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
const NAMES: Readonly<Record<string, string>> = { mod: isMac ? '⌘' : 'Ctrl', enter: '↵' }

/** The keys of a shortcut, as printed on a keyboard. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys" aria-hidden="true">
      {keys.split(/[ +]/).map(key => (
        <kbd key={key}>{NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)}</kbd>
      ))}
    </span>
  )
}
