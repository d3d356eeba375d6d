import { useQueries } from '@tanstack/react-query'
import { Link, type LinkProps, linkOptions } from '@tanstack/react-router'
import type { Ban, DeprecatedUsage, HealthPart, Key } from '../../api/schema.ts'
import { bansInForceQuery, expiringKeysQuery, inDays } from '../../data/overview.ts'
import type { Head } from '../../data/query-keys.ts'
import { healthQuery } from '../../data/service.ts'
import { deprecatedUsageQuery } from '../../data/usage.ts'
import { formatCount } from '../../lib/numbers.ts'
import { formatDate } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { keyLabel, sourceLabel } from '../../parts/bans/facts.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { Badge, Loading, Notice } from '../../ui/states.tsx'

const STATES = {
  ok: { tone: 'good', name: 'Healthy' },
  degraded: { tone: 'change', name: 'Needs attention' },
  failing: { tone: 'danger', name: 'Failing' },
} as const

/** Health at a glance, and everything that needs attention. Each line has an action. */
export function Attention() {
  const { health, concerns, error } = useAttentionItems()
  const state = health && STATES[health.state]
  return (
    <Panel
      title="What needs attention"
      actions={
        state && (
          <Link to="/health" className="health-link">
            <Badge tone={state.tone}>{state.name}</Badge>
            <span>{health.instances === 1 ? '1 instance' : `${health.instances} instances`}</span>
          </Link>
        )
      }
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!error && !concerns && <Loading />}
      {!error && concerns?.length === 0 && (
        <p className="all-well">
          <Icon name="check" />
          Nothing. All parts work, no key is banned or about to expire, and no caller uses a deprecated operation.
        </p>
      )}
      {concerns && concerns.length > 0 && (
        <ul className="concerns">
          {concerns.map(concern => (
            <Line key={concern.title} concern={concern} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Line({ concern: { tone, icon, title, detail, action, link } }: { concern: Concern }) {
  return (
    <li className="concern" data-tone={tone}>
      <Icon name={icon} />
      <div>
        <h3>{title}</h3>
        <p dir="auto">{detail}</p>
      </div>
      <Link className="button is-small" {...link}>
        {action}
      </Link>
    </li>
  )
}

/** Something that needs attention, with a link. */
interface Concern {
  tone: 'change' | 'danger'
  icon: IconName
  title: string
  detail: string
  /** The label of its button. */
  action: string
  link: LinkProps
}

/** The partner must replace an expiring key, which takes a while. */
const EXPIRY_DAYS = 14
const MAX_NAMES = 3

/** @returns concerns: undefined until all data for them is loaded */
function useAttentionItems() {
  const before = inDays(EXPIRY_DAYS, useNow())
  const [health, bans, keys, deprecated] = useQueries({
    queries: [healthQuery, bansInForceQuery, expiringKeysQuery(before), deprecatedUsageQuery()],
  })
  const isKnown = health.data && bans.data && keys.data && deprecated.data
  return {
    health: health.data,
    concerns: isKnown && [
      ...health.data.parts.filter(({ state }) => state !== 'ok').map(concernOfPart),
      ...(bans.data.rows.length > 0 ? [concernOfBans(bans.data)] : []),
      ...(keys.data.rows.length > 0 ? [concernOfKeys(keys.data)] : []),
      ...deprecated.data.filter(({ accounts }) => accounts > 0).map(concernOfUse),
    ],
    error: [health, bans, keys, deprecated].find(({ error }) => error)?.error,
  }
}

function concernOfPart({ part, state, message }: HealthPart): Concern {
  return {
    tone: state === 'failing' ? 'danger' : 'change',
    icon: 'health',
    title: `${part.charAt(0).toUpperCase()}${part.slice(1)} ${state === 'failing' ? 'does not work' : 'needs attention'}`,
    detail: message,
    ...(part === 'sources'
      ? { action: 'Show sources', link: linkOptions({ to: '/sources' }) }
      : { action: 'Show health', link: linkOptions({ to: '/health' }) }),
  }
}

function concernOfBans({ rows, hasMore }: Head<Ban>): Concern {
  const names = rows.map(ban => `${keyLabel(ban)} of ${ban.account} for ${sourceLabel(ban)}`)
  return {
    tone: 'danger',
    icon: 'bans',
    title: `${countOf(rows, hasMore)} ${rows.length === 1 ? 'ban is' : 'bans are'} in force`,
    detail: joinNames(names, hasMore),
    action: 'Show bans',
    link: linkOptions({ to: '/bans' }),
  }
}

function concernOfKeys({ rows, hasMore }: Head<Key>): Concern {
  const names = rows.map(({ id, name, account }) => `${name ?? `Key ${id}`} of ${account}`)
  return {
    tone: 'change',
    icon: 'keys',
    title: `${countOf(rows, hasMore)} ${rows.length === 1 ? 'key expires' : 'keys expire'} within ${EXPIRY_DAYS} days`,
    detail: joinNames(names, hasMore),
    action: 'Show keys',
    link: linkOptions({ to: '/keys', search: { state: 'active', expires: String(EXPIRY_DAYS) } }),
  }
}

function concernOfUse({ operation, removedAt, accounts, callers }: DeprecatedUsage): Concern {
  const names = callers.map(({ account }) => account)
  return {
    tone: 'change',
    icon: 'usage',
    title: `${formatCount(accounts)} ${accounts === 1 ? 'account calls' : 'accounts call'} ${operation}, which will be removed on ${formatDate(removedAt)}`,
    detail: joinNames(names, accounts > callers.length),
    action: 'Show calls',
    link: linkOptions({ to: '/usage', search: { range: '30d', by: 'account', operation } }),
  }
}

function countOf(rows: readonly unknown[], hasMore: boolean): string {
  return hasMore ? `More than ${formatCount(rows.length)}` : formatCount(rows.length)
}

/** Such as "a, b, c and others". */
function joinNames(names: readonly string[], hasMore: boolean): string {
  const first = names.slice(0, MAX_NAMES)
  return hasMore || names.length > MAX_NAMES ? `${first.join(', ')} and others` : first.join(', ')
}
