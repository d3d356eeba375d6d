import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { AuditEntry } from '../../api/schema.ts'
import { auditEntryQuery, petsOfEntryQuery } from '../../data/audit.ts'
import { useRows } from '../../data/rows.ts'
import { actionName, memberName, valueWords } from '../../lib/audit-words.ts'
import { formatUtc } from '../../lib/time.ts'
import { AnimalChange } from '../../parts/animal-changes.tsx'
import { AccountLink, Actor, Named, SubjectLink } from '../../parts/audit.tsx'
import { Facts } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import { UndoDialog } from './UndoDialog.tsx'

interface EntryDrawerProps {
  id: string
  /** The loaded entries. */
  rows: readonly AuditEntry[]
  onClose(): void
}

/** Everything that the log has about an action. */
export function EntryDrawer({ id, rows, onClose }: EntryDrawerProps) {
  const known = rows.find(row => String(row.id) === id)
  const { data = known, error, isLoading } = useQuery(auditEntryQuery(id, !known))
  const [isUndoing, setIsUndoing] = useState(false)
  const canUndo = data?.action.startsWith('pet.')
  return (
    <Dialog
      onClose={onClose}
      isDrawer
      title={data ? actionName(data.action) : `Entry ${id}`}
      actions={canUndo && <Button onClick={() => setIsUndoing(true)}>Undo…</Button>}
    >
      {data && <Entry entry={data} />}
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!data && !error && !isLoading && <Notice>There is no entry with this number.</Notice>}
      {data && isUndoing && <UndoDialog entryId={data.id} onClose={() => setIsUndoing(false)} />}
    </Dialog>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { at, origin, before, after, details, subjectKind, subjectId, accountId, account, action, id } = entry
  return (
    <>
      <Facts
        facts={{
          When: <TimeText at={at} isFull />,
          'In UTC': <span className="number">{formatUtc(at)}</span>,
          Operator: <Actor entry={entry} />,
          From: origin,
          Subject: subjectKind === null ? undefined : <SubjectLink entry={entry} />,
          Account:
            accountId === null || subjectKind === 'account' ? undefined : (
              <AccountLink id={String(accountId)} name={account} />
            ),
          Entry: String(id),
        }}
      />
      {(before || after) && <Changes action={action} before={before} after={after} />}
      <Details details={details} />
      {action.startsWith('pet.') && subjectId === null && <Animals entryId={id} />}
    </>
  )
}

/** The changes that the action made: each value before and after it. */
function Changes({ action, before, after }: Pick<AuditEntry, 'action' | 'before' | 'after'>) {
  const members = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  // A change of many animals has only the new values: the former ones differ.
  const isChange = action === 'pet.correct-many' || (before && after)
  return (
    <Values title={isChange ? 'What was changed' : before ? 'What was removed' : 'What was created'} members={members}>
      <thead>
        <tr>
          <th scope="col">Value</th>
          {before && <th scope="col">Before</th>}
          {after && <th scope="col">After</th>}
        </tr>
      </thead>
      <tbody>
        {members.map(member => (
          <tr key={member} data-changed={before !== null && after !== null && before[member] !== after[member]}>
            <th scope="row">{memberName(member)}</th>
            {before && (
              <td>
                <del>
                  <Value member={member} value={before[member]} />
                </del>
              </td>
            )}
            {after && (
              <td>
                <ins>
                  <Value member={member} value={after[member]} />
                </ins>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Values>
  )
}

/** The animals that an action on many changed, each with its values before and after it. */
function Animals({ entryId }: { entryId: bigint }) {
  const { rows, hasMore, isLoading, onEnd, error } = useRows(petsOfEntryQuery(entryId))
  if (error) return <Notice tone="danger">{error.message}</Notice>
  if (rows.length === 0) return null
  return (
    <section className="stack is-close">
      <h3>Animals</h3>
      <ul className="lines">
        {rows.map(({ id, before, after }) => (
          <li key={String(id)}>
            <Link to="/animals" search={{ open: String(id) }}>
              <Named name={(after ?? before)?.name ?? null} number={`Animal ${id}`} />
            </Link>
            <span className="muted">
              <AnimalChange before={before} after={after} />
            </span>
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button onClick={onEnd} isBusy={isLoading}>
          Show more
        </Button>
      )}
    </section>
  )
}

/** Further facts about an action. */
function Details({ details }: Pick<AuditEntry, 'details'>) {
  const members = Object.keys(details)
  return (
    <Values title="Details" members={members}>
      <tbody>
        {members.map(member => (
          <tr key={member}>
            <th scope="row">{memberName(member)}</th>
            <td>
              <Value member={member} value={details[member]} />
            </td>
          </tr>
        ))}
      </tbody>
    </Values>
  )
}

function Values({ title, members, children }: { title: string; members: readonly string[]; children: ReactNode }) {
  if (members.length === 0) return null
  return (
    <section className="stack is-close">
      <h3>{title}</h3>
      <table className="values box">{children}</table>
    </section>
  )
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** A value of the log: a text, a number, a time, yes or no, or nothing. */
function Value({ member, value }: { member: string; value: string | number | bigint | boolean | null | undefined }) {
  const words = valueWords(member, value)
  if (words !== undefined) return words
  if (value === null || value === undefined || value === '') return <span className="muted">none</span>
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' && INSTANT.test(value)) return <TimeText at={value} isExact />
  return <bdi>{String(value)}</bdi>
}
