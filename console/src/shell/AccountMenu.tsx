import { Menu } from '@base-ui/react/menu'
import { type RefObject, useLayoutEffect } from 'react'
import { expectOverlay } from '../lib/type-ahead.ts'
import { THEMES, useTheme, useTimes, useZone } from '../lib/use-preferences.ts'
import { useSafeSignOut } from './use-sign-out.ts'
import '../ui/menu.css'

const THEME_NAMES = { system: 'System colours', light: 'Light', dark: 'Dark' }

interface AccountMenuProps {
  button: RefObject<HTMLButtonElement | null>
  onClose(): void
}

export function AccountMenu({ button, onClose }: AccountMenuProps) {
  const [theme, setTheme] = useTheme()
  const [zone, setZone] = useZone()
  const [times, setTimes] = useTimes()
  const signOut = useSafeSignOut()
  useLayoutEffect(expectOverlay, [])
  // A press of the button closes it, too: that is the button's own.
  const isOutside = ({ target }: Event) => !button.current?.contains(target as Node)
  return (
    <Menu.Root open onOpenChange={(isOpen, { event }) => !isOpen && isOutside(event) && onClose()}>
      <Menu.Portal>
        <Menu.Positioner anchor={button} align="end" sideOffset={6} className="menu-place">
          <Menu.Popup className="menu box is-raised" finalFocus={button} aria-labelledby="account-button">
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
            <Menu.Item className="menu-item" onClick={signOut}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
