import { Fragment } from 'react'
import type { PetOfEntry } from '../api/schema.ts'
import { categoryName } from '../data/categories.ts'
import { statusName } from './statuses.tsx'

type State = NonNullable<PetOfEntry['before']>

function changesOf(before: State, after: State) {
  const members = [
    ['Name', before.name, after.name],
    ['Category', categoryName(before.categoryId, null), categoryName(after.categoryId, null)],
    ['Status', statusName(before.status), statusName(after.status)],
  ] as const
  return members.filter(([, from, to]) => from !== to)
}

/** The values of an animal that an action changed, as a list. Nothing if it was added or deleted. */
export function Differences({ before, after }: Pick<PetOfEntry, 'before' | 'after'>) {
  if (!before || !after) return null
  return (
    <ul>
      {changesOf(before, after).map(([member, from, to]) => (
        <li key={member}>
          {member}: <Change from={from} to={to} />
        </li>
      ))}
    </ul>
  )
}

/** A value, and the one that replaces it. */
export function Change({ from, to }: { from: string; to: string }) {
  return (
    <>
      <del>
        <bdi>{from}</bdi>
      </del>{' '}
      →{' '}
      <ins>
        <bdi>{to}</bdi>
      </ins>
    </>
  )
}

/** What an action did to an animal in one line, such as "Status: Available → Sold" or "Added: Available". */
export function AnimalChange({ before, after }: Pick<PetOfEntry, 'before' | 'after'>) {
  if (before && after) {
    return changesOf(before, after).map(([member, from, to], at) => (
      <Fragment key={member}>
        {at > 0 && ', '}
        {member}: <bdi>{from}</bdi> → <bdi>{to}</bdi>
      </Fragment>
    ))
  }
  if (after) return `Added: ${statusName(after.status)}`
  return before ? `Deleted: ${statusName(before.status)}` : 'Values not known'
}
