import { Menu } from '@base-ui/react/menu'
import { useLayoutEffect } from 'react'
import type { Operator } from '../api/schema.ts'
import { expectOverlay } from '../lib/type-ahead.ts'
import { THEMES, useTheme, useTimes, useZone } from '../lib/use-preferences.ts'
import { useSignOut } from './use-sign-out.ts'
import '../ui/menu.css'

const THEME_NAMES = { system: 'System colours', light: 'Light', dark: 'Dark' }

/** The signed-in operator, and their preferences. */
export function Account({ operator }: { operator: Operator }) {
  const [theme, setTheme] = useTheme()
  const [zone, setZone] = useZone()
  const [times, setTimes] = useTimes()
  const signOut = useSignOut()
  useLayoutEffect(expectOverlay, [])
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger className="button button-quiet frame-account">
        <span className="frame-account-name one-line">{operator.name}</span>
        <span className="frame-role">{operator.role}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className="menu-place">
          <Menu.Popup className="menu box is-raised">
            <Menu.RadioGroup value={theme} onValueChange={setTheme}>
              {THEMES.map(one => (
                <Menu.RadioItem key={one} value={one} className="menu-item">
                  {THEME_NAMES[one]}
                  <Menu.RadioItemIndicator className="menu-mark">✓</Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="menu-line" />
            <Menu.CheckboxItem
              className="menu-item"
              checked={zone === 'utc'}
              onCheckedChange={isUtc => setZone(isUtc ? 'utc' : 'local')}
            >
              Times in UTC
              <Menu.CheckboxItemIndicator className="menu-mark">✓</Menu.CheckboxItemIndicator>
            </Menu.CheckboxItem>
            <Menu.CheckboxItem
              className="menu-item"
              checked={times === 'exact'}
              onCheckedChange={isExact => setTimes(isExact ? 'exact' : 'relative')}
            >
              Exact times in lists
              <Menu.CheckboxItemIndicator className="menu-mark">✓</Menu.CheckboxItemIndicator>
            </Menu.CheckboxItem>
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item" onClick={() => signOut.mutate()}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
