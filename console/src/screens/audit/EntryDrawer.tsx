import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AuditEntry } from '../../api/schema.ts'
import { auditEntryQuery, petsOfEntryQuery } from '../../data/audit.ts'
import { useCategoryName } from '../../data/categories.ts'
import { useRows } from '../../data/rows.ts'
import { actionName, memberName } from '../../lib/audit-words.ts'
import { formatUtc } from '../../lib/time.ts'
import { AnimalChange } from '../../parts/animal-changes.tsx'
import { AccountLink, Actor, Named, SubjectLink } from '../../parts/audit.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Facts } from '../../parts/Panel.tsx'
import { RowList } from '../../parts/RowList.tsx'
import { TableHead } from '../../parts/TableHead.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import { UndoDialog } from './UndoDialog.tsx'
import { valueWords } from './value-words.ts'

interface EntryDrawerProps {
  id: string
  rows: readonly AuditEntry[]
  onClose(): void
}

export function EntryDrawer({ id, rows, onClose }: EntryDrawerProps) {
  const known = () => rows.find(row => String(row.id) === id)
  const { data, error, fetchStatus } = useQuery({ ...auditEntryQuery(id), initialData: known })
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
      {!data && !error && (fetchStatus === 'idle' ? <Notice>There is no entry with this number.</Notice> : <Loading />)}
      {data && isUndoing && <UndoDialog entryId={data.id} onClose={() => setIsUndoing(false)} />}
    </Dialog>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { at, origin, details, subjectKind, subjectId, accountId, account, action, id } = entry
  return (
    <>
      <Facts
        facts={{
          When: <TimeText at={at} isFull />,
          'In UTC': <span className="number">{formatUtc(at)}</span>,
          Operator: <Actor entry={entry} />,
          From: origin,
          Subject: subjectKind && <SubjectLink entry={entry} />,
          Account: accountId && subjectKind !== 'account' && <AccountLink id={String(accountId)} name={account} />,
          Entry: String(id),
        }}
      />
      <Values title={titleOf(entry)} columns={changesOf(entry)} />
      <Values title="Details" columns={[{ Mark: 'span', values: details }]} />
      {action.startsWith('pet.') && subjectId === null && <Animals entryId={id} />}
    </>
  )
}

/** The animals that an action on many changed, each with its values before and after it. */
function Animals({ entryId }: { entryId: bigint }) {
  return (
    <section className="stack is-close">
      <h3>Animals</h3>
      <RowList list={useRows(petsOfEntryQuery(entryId))} empty={<p className="muted">Not recorded.</p>}>
        {({ id, before, after }) => (
          <>
            <Link to="/animals" search={{ open: String(id) }}>
              <Named name={(after ?? before)?.name ?? null} number={`Animal ${id}`} />
            </Link>
            <span className="muted">
              <AnimalChange before={before} after={after} />
            </span>
          </>
        )}
      </RowList>
    </section>
  )
}

function changesOf({ before, after }: AuditEntry): ValueColumn[] {
  return [
    ...(before ? [{ name: 'Before', Mark: 'del' as const, values: before }] : []),
    ...(after ? [{ name: 'After', Mark: 'ins' as const, values: after }] : []),
  ]
}

/** A change of many animals has only the new values: the former ones differ. */
function titleOf({ action, before, after }: AuditEntry): string {
  if (action === 'pet.correct-many' || (before && after)) return 'What was changed'
  return before ? 'What was removed' : 'What was created'
}

interface ValueColumn {
  name?: string
  Mark: 'del' | 'ins' | 'span'
  values: AuditEntry['details']
}

/** The values of an action. Values that changed are marked. */
function Values({ title, columns }: { title: string; columns: readonly ValueColumn[] }) {
  const members = [...new Set(columns.flatMap(({ values }) => Object.keys(values)))]
  const [first, second] = columns
  if (members.length === 0) return null
  return (
    <section className="stack is-close">
      <h3>{title}</h3>
      <table className="values box">
        {first?.name && <TableHead names={['Value', ...columns.map(({ name = '' }) => name)]} />}
        <tbody>
          {members.map(member => (
            <tr key={member} data-changed={second && first?.values[member] !== second.values[member]}>
              <th scope="row">{memberName(member)}</th>
              {columns.map(({ name, Mark, values }) => (
                <td key={name}>
                  <Mark>
                    <Value member={member} value={values[member]} />
                  </Mark>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

function Value({ member, value }: { member: string; value: string | number | bigint | boolean | null | undefined }) {
  const nameOf = useCategoryName()
  const words = member === 'categoryId' && value ? nameOf(String(value)) : valueWords(member, value)
  if (words !== undefined) return words
  if (value === null || value === undefined || value === '') return <span className="muted">none</span>
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' && INSTANT.test(value)) return <TimeText at={value} isExact />
  return <bdi>{String(value)}</bdi>
}
