import type { BadLine as Bad } from '../../api/schema.ts'
import { formatCount, formatCounted } from '../../lib/numbers.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { nameOfMember, reasonInWords } from './members.ts'

interface BadLineProps {
  bad: Bad
  isOpen: boolean
  onToggle(): void
}

/** One line with its first problem, or with all of them once it is open. */
export function BadLine({ bad: { line, reason, problems }, isOpen, onToggle }: BadLineProps) {
  const [first] = problems
  const more = problems.length - 1
  const id = `bad-line-${line}`
  return (
    <>
      <button type="button" className="bad-line" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <span className={cx('bad-line-mark', isOpen && 'is-open')}>
          <Icon name="chevron" />
        </span>
        <span className="number">Line {formatCount(line)}</span>
        <span className="bad-line-member">{first && nameOfMember(first.member)}</span>
        <span className="bad-line-value">
          <bdi>{first?.value ?? ''}</bdi>
        </span>
        <span className="bad-line-reason" dir="auto">
          {first ? reasonInWords(first) : reason}
        </span>
        {more > 0 && <span className="bad-line-more">and {formatCounted(more, 'more problem')}</span>}
      </button>
      {isOpen && (
        <div className="bad-line-all" id={id}>
          {problems.length === 0 ? <p dir="auto">{reason}</p> : <Problems problems={problems} />}
        </div>
      )}
    </>
  )
}

function Problems({ problems }: Pick<Bad, 'problems'>) {
  return (
    <dl>
      {problems.map(problem => (
        <div key={problem.member}>
          <dt>{nameOfMember(problem.member)}</dt>
          <dd>
            <Value value={problem.value} />
            <p dir="auto">{reasonInWords(problem)}</p>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value }: Pick<Bad['problems'][number], 'value'>) {
  if (value === null) return <span className="muted">missing</span>
  return value === '' ? <span className="muted">empty</span> : <code dir="auto">{value}</code>
}
