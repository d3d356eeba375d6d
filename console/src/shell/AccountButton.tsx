import { lazy, Suspense, useState } from 'react'
import type { Operator } from '../api/schema.ts'

const load = () => import('./Account.tsx')
const Account = lazy(async () => ({ default: (await load()).Account }))

/** Who is signed in. The menu behind it is loaded when it is about to be opened. */
export function AccountButton({ operator }: { operator: Operator }) {
  const [isWanted, setIsWanted] = useState(false)
  const button = (
    <button
      type="button"
      className="button button-quiet frame-account"
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={load}
      onFocus={load}
      onClick={() => setIsWanted(true)}
    >
      <span className="frame-account-name">{operator.name}</span>
      <span className="frame-role">{operator.role}</span>
    </button>
  )
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <Account operator={operator} />
    </Suspense>
  )
}
