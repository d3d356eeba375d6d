import { Fragment } from 'react'
import type { PetOfEntry } from '../api/schema.ts'
import type { AnimalState } from '../data/animals.ts'
import { useCategoryName } from '../data/categories.ts'
import { statusName } from './statuses.tsx'
import { nameOfMember } from './words/members.ts'

type States = Pick<PetOfEntry, 'before' | 'after'>

/** The members of an animal in words: their names, and their values in two states. */
export function useMembers(): (one: AnimalState, other: AnimalState) => (readonly [string, string, string])[] {
  const categoryName = useCategoryName()
  const words: { [Member in keyof AnimalState]: (state: AnimalState) => string } = {
    name: ({ name }) => name,
    categoryId: ({ categoryId }) => categoryName(categoryId),
    status: ({ status }) => statusName(status),
  }
  return (one, other) =>
    Object.entries(words).map(([member, wordsOf]) => [nameOfMember(member), wordsOf(one), wordsOf(other)])
}

/** What differs between two states of an animal. Nothing if it was added or deleted. */
function useChanges({ before, after }: States) {
  const membersOf = useMembers()
  return before && after ? membersOf(before, after).filter(([, from, to]) => from !== to) : []
}

/** The values of an animal that an action changed, as a list. */
export function Differences({ before, after }: States) {
  const changes = useChanges({ before, after })
  if (changes.length === 0) return null
  return (
    <ul>
      {changes.map(([member, from, to]) => (
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
export function AnimalChange({ before, after }: States) {
  const changes = useChanges({ before, after })
  if (before && after) {
    return changes.map(([member, from, to], at) => (
      <Fragment key={member}>
        {at > 0 && ', '}
        {member}: <bdi>{from}</bdi> → <bdi>{to}</bdi>
      </Fragment>
    ))
  }
  if (after) return `Added: ${statusName(after.status)}`
  return before ? `Deleted: ${statusName(before.status)}` : 'Values not known'
}
