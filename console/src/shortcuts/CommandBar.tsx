import { useState } from 'react'
import { lazyOverlay } from '../data/lazy-chunks.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Keys } from '../ui/Keys.tsx'
import { useShortcut } from './shortcuts.ts'
import './command-bar.css'

const Palette = lazyOverlay(() => import('./Palette.tsx'), 'Palette')
const ShortcutList = lazyOverlay(() => import('./ShortcutList.tsx'), 'ShortcutList')

const PALETTE_KEYS = 'mod+k'

/** Opens the command palette and the list of shortcuts, with a button or their keys. */
export function CommandBar() {
  const [open, setOpen] = useState<'palette' | 'shortcuts'>()
  const close = () => setOpen(undefined)
  useShortcut({ keys: PALETTE_KEYS, name: 'Search or go to', run: () => setOpen('palette') })
  useShortcut({ keys: '?', name: 'Keyboard shortcuts', run: () => setOpen('shortcuts') })
  return (
    <>
      <button
        type="button"
        className="command-bar"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen('palette')}
      >
        <Icon name="search" />
        <span className="command-bar-text one-line">Search or go to…</span>
        <Keys keys={PALETTE_KEYS} />
      </button>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'shortcuts' && <ShortcutList onClose={close} />}
    </>
  )
}
