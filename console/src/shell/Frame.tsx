import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { lazyOverlay } from '../data/lazy-chunks.tsx'
import { versionQuery } from '../data/service.ts'
import { useSession } from '../data/session.ts'
import { CommandBar } from '../shortcuts/CommandBar.tsx'
import { listenToKeys } from '../shortcuts/listen.ts'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { useVisits } from '../shortcuts/visits.ts'
import { Icon } from '../ui/Icon.tsx'
import { Navigation } from './Navigation.tsx'
import './bar.css'
import './frame.css'

/** The frame around every screen: the navigation, the deployment, and the signed-in operator. */
export function Frame({ warning, children }: { warning: ReactNode; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  useLayoutEffect(listenToKeys, [])
  useVisits()
  const menu = useRef<HTMLButtonElement>(null)
  const close = () => {
    setIsOpen(false)
    menu.current?.focus()
  }
  useShortcut({ keys: 'Escape', name: 'Close the menu', run: close }, isOpen)
  return (
    <div className="frame">
      <a className="skip" href="#screen">
        Skip to the content
      </a>
      <header className="frame-bar">
        <button
          type="button"
          ref={menu}
          className="frame-menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
          <span className="visually-hidden">Menu</span>
        </button>
        <span className="frame-name">Petstore</span>
        <Deployment />
        <CommandBar />
        <AccountButton />
      </header>
      <div className="frame-side" id="navigation" data-open={isOpen}>
        <Navigation onChosen={() => setIsOpen(false)} />
      </div>
      {warning}
      <main className="frame-screen" id="screen" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** Shows, also by colour, whether changes affect production or staging. */
function Deployment() {
  const { data } = useQuery(versionQuery)
  if (!data) return null
  return (
    <span className="deployment" data-tone={data.deployment === 'production' ? 'good' : 'staging'}>
      {data.deployment === 'production' ? 'Production' : 'Staging'}
    </span>
  )
}

const AccountMenu = lazyOverlay(() => import('./AccountMenu.tsx'), 'AccountMenu')

/** Shows who is signed in, and opens the menu. */
function AccountButton() {
  const { operator } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        type="button"
        ref={button}
        id="account-button"
        className="button button-quiet frame-account"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="frame-account-name one-line">{operator.name}</span>
        <span className="frame-role">{operator.role}</span>
      </button>
      {isOpen && <AccountMenu button={button} onClose={() => setIsOpen(false)} />}
    </>
  )
}
