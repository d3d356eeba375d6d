const DAY_MS = 86_400_000
/** The dates that the console uses for the last seven days, and for what expires soon. */
const FIRST_DAY = isoDay(-6)
const SOON = `${isoDay(14)}T00:00:00.000Z`

export interface ScreenCall {
  /** What the screen shows with it. */
  why: string
  /** Relative to /admin/v1. */
  path: string
}

/** The calls that each screen of the console makes when it opens; `Frame` has those of every screen. */
export const SCREENS: Readonly<Record<string, readonly ScreenCall[]>> = {
  Frame: [
    { why: 'who is signed in', path: '/session' },
    { why: 'the deployment and the version', path: '/version' },
    { why: 'warnings about the disk, the backups and the certificates', path: '/health' },
  ],
  Overview: [
    { why: 'calls per hour of the last day', path: '/usage?hours=24&by=hour&fill=true' },
    { why: 'animals per status', path: '/pets/totals' },
    { why: 'whether there are accounts yet', path: '/accounts?limit=1' },
    { why: 'banned keys', path: '/bans?state=in-force&limit=100' },
    { why: 'the accounts that are near their limit', path: '/accounts?sort=usage&limit=20' },
    { why: 'the accounts whose calls are refused', path: '/accounts?sort=refused&limit=20' },
    { why: 'keys that expire soon', path: `/keys?state=active&expiresBefore=${SOON}&limit=100` },
    { why: 'who uses the deprecated operation', path: '/usage/deprecated' },
    { why: 'the newest actions', path: '/audit?limit=8' },
  ],
  Animals: [
    { why: 'the newest animals', path: '/pets?sort=newest&limit=100' },
    { why: 'animals per status', path: '/pets/totals' },
    { why: 'the names of categories', path: '/categories?limit=100' },
  ],
  Import: [],
  Accounts: [{ why: 'the first page', path: '/accounts?limit=100' }],
  Account: [
    { why: 'one account', path: '/accounts/4711' },
    { why: 'how many calls it has left', path: '/accounts/4711/windows' },
    { why: 'its usage, by day', path: '/usage?account=4711&by=day&fill=true' },
    { why: 'its keys', path: '/keys?account=4711&limit=100' },
    { why: 'its refused calls', path: '/accounts/4711/refusals' },
    { why: 'its claim links', path: '/claim-links?account=4711&limit=100' },
    { why: 'the newest actions', path: '/audit?account=4711&limit=8' },
  ],
  Keys: [{ why: 'the first page', path: '/keys?limit=100' }],
  Bans: [{ why: 'the newest bans', path: '/bans?limit=100' }],
  Usage: [
    { why: 'all calls, by hour', path: `/usage?from=${FIRST_DAY}&by=hour&fill=true` },
    { why: 'the operations to choose from', path: `/usage?from=${FIRST_DAY}&by=operation&top=50` },
    { why: 'the keys to choose from', path: `/usage?from=${FIRST_DAY}&by=key,account&top=50` },
    { why: 'the busiest accounts', path: `/usage?from=${FIRST_DAY}&by=account&top=10` },
    { why: 'the busiest keys', path: `/usage?from=${FIRST_DAY}&by=key,account&top=10` },
    { why: 'who uses the deprecated operation', path: `/usage/deprecated?from=${FIRST_DAY}` },
  ],
  Sources: [{ why: 'all sources', path: '/sources' }],
  Audit: [{ why: 'the newest entries', path: '/audit?limit=100' }],
  Tokens: [{ why: 'all tokens', path: '/tokens?limit=100' }],
  Health: [{ why: 'the findings of doctor', path: '/doctor' }],
  Settings: [{ why: 'every setting', path: '/settings' }],
}

function isoDay(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
}
