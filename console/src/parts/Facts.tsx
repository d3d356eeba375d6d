import { Fragment, type ReactNode } from 'react'
import './facts.css'

/** The properties of a record by their names. Those that are undefined are left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  const given = Object.entries(facts).filter(([, value]) => value !== undefined)
  return (
    <dl className="facts">
      {given.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
