import { type ComponentProps, useLayoutEffect, useState } from 'react'
import type { Operator } from '../api/schema.ts'
import { lazyChunk } from '../data/lazy-chunks.tsx'
import { holdKeys } from '../lib/type-ahead.ts'

const Account = lazyChunk(() => import('./Account.tsx'), 'Account', OpeningButton)

/** Shows who is signed in. Its menu is loaded just before it is opened. */
export function AccountButton({ operator }: { operator: Operator }) {
  const [isWanted, setIsWanted] = useState(false)
  if (isWanted) return <Account operator={operator} />
  const { preload } = Account
  return (
    <ClosedButton operator={operator} onPointerEnter={preload} onFocus={preload} onClick={() => setIsWanted(true)} />
  )
}

function OpeningButton({ operator }: { operator: Operator }) {
  useLayoutEffect(() => holdKeys(), [])
  return <ClosedButton operator={operator} />
}

function ClosedButton({ operator, ...rest }: { operator: Operator } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className="button button-quiet frame-account"
      aria-haspopup="menu"
      aria-expanded={false}
      {...rest}
    >
      <span className="frame-account-name">{operator.name}</span>
      <span className="frame-role">{operator.role}</span>
    </button>
  )
}
