const DAY_MS = 86_400_000
/** The dates that the console uses for the last seven days, and for what expires soon. */
const FIRST_DAY = isoDay(-6)
const SOON = `${isoDay(14)}T00:00:00.000Z`

export interface ScreenCall {
  /** What the screen shows with it. */
  why: string
  /** Relative to /admin/v1. */
  path: string
  /** Whether the screen makes it when it opens, rather than only for a filter, a search or a drawer. */
  isFirst?: true
}

/** The calls of each screen of the console. test/console/calls.servers.test.ts compares the first ones with the console's. */
export const SCREENS: Readonly<Record<string, readonly ScreenCall[]>> = {
  Frame: [
    { why: 'who is signed in', path: '/session', isFirst: true },
    { why: 'the deployment and the version', path: '/version', isFirst: true },
  ],
  Overview: [
    { why: 'the overall health', path: '/health', isFirst: true },
    { why: 'calls per hour of the last day', path: '/usage?hours=24&by=hour&fill=true', isFirst: true },
    { why: 'animals per status', path: '/pets/totals', isFirst: true },
    { why: 'whether there are accounts yet', path: '/accounts?limit=1', isFirst: true },
    { why: 'banned keys', path: '/bans?state=in-force&limit=100', isFirst: true },
    { why: 'the accounts that are near their limit', path: '/accounts?sort=usage&limit=20', isFirst: true },
    { why: 'the accounts whose calls are refused', path: '/accounts?sort=refused&limit=20', isFirst: true },
    { why: 'keys that expire soon', path: `/keys?state=active&expiresBefore=${SOON}&limit=100`, isFirst: true },
    { why: 'who uses the deprecated operation', path: '/usage/deprecated', isFirst: true },
    { why: 'the newest actions', path: '/audit?limit=8', isFirst: true },
  ],
  Animals: [
    { why: 'the newest animals', path: '/pets?sort=newest&limit=100', isFirst: true },
    { why: 'animals per status', path: '/pets/totals', isFirst: true },
    { why: 'the names of categories', path: '/categories?limit=100', isFirst: true },
    { why: 'animals of two statuses, oldest first', path: '/pets?status=available,pending&sort=oldest&limit=100' },
    { why: 'a search with many matches', path: '/pets?name=emile&sort=newest&limit=100' },
    { why: 'a search with one match', path: '/pets?name=brave+4711&sort=newest&limit=100' },
    { why: 'a search without a match', path: '/pets?name=unicorn&sort=newest&limit=100' },
    { why: 'the totals of a search', path: '/pets/totals?name=emile' },
    { why: 'one category and one status', path: '/pets?categoryId=7&status=sold&sort=newest&limit=100' },
    { why: 'one animal', path: '/pets/500000' },
    { why: 'its history', path: '/pets/50000/history?limit=20' },
    { why: 'the deleted animals', path: '/pets/deleted?sort=newest&limit=100' },
  ],
  Import: [],
  Accounts: [
    { why: 'the first page', path: '/accounts?limit=100', isFirst: true },
    { why: 'a search by part of a name', path: '/accounts?name=krakow&limit=100' },
    { why: 'suspended accounts', path: '/accounts?state=suspended&limit=100' },
    { why: 'the accounts that use the most of their limit', path: '/accounts?sort=usage&limit=100' },
  ],
  Account: [
    { why: 'one account', path: '/accounts/4711', isFirst: true },
    { why: 'how many calls it has left', path: '/accounts/4711/windows', isFirst: true },
    { why: 'its usage, by day', path: '/usage?account=4711&by=day&fill=true', isFirst: true },
    { why: 'its keys', path: '/keys?account=4711&limit=100', isFirst: true },
    { why: 'its refused calls', path: '/accounts/4711/refusals', isFirst: true },
    { why: 'its claim links', path: '/claim-links?account=4711&limit=100', isFirst: true },
    { why: 'the newest actions', path: '/audit?account=4711&limit=8', isFirst: true },
  ],
  Keys: [
    { why: 'the first page', path: '/keys?limit=100', isFirst: true },
    { why: 'keys that were never used', path: '/keys?used=false&limit=100' },
    { why: 'keys that expire soon', path: `/keys?expiresBefore=${SOON}&limit=100` },
    { why: 'keys unused for a month', path: `/keys?unusedSince=${isoDay(-30)}T00:00:00.000Z&limit=100` },
    { why: 'a search by name', path: '/keys?search=99999&limit=100' },
    { why: 'banned keys', path: '/keys?state=banned&limit=100' },
    { why: 'one key', path: '/keys/4' },
    { why: 'its bans', path: '/keys/4/bans?limit=100' },
    { why: 'its refused calls', path: '/keys/4/refusals' },
    { why: 'open claim links', path: '/claim-links?state=open&limit=100' },
  ],
  Bans: [
    { why: 'the newest bans', path: '/bans?limit=100', isFirst: true },
    { why: 'bans in force', path: '/bans?state=in-force&limit=100' },
  ],
  Usage: [
    { why: 'all calls, by hour', path: `/usage?from=${FIRST_DAY}&by=hour&fill=true`, isFirst: true },
    { why: 'the operations to choose from', path: `/usage?from=${FIRST_DAY}&by=operation&top=50`, isFirst: true },
    { why: 'the keys to choose from', path: `/usage?from=${FIRST_DAY}&by=key,account&top=50`, isFirst: true },
    { why: 'the busiest accounts', path: `/usage?from=${FIRST_DAY}&by=account&top=10`, isFirst: true },
    { why: 'the busiest keys', path: `/usage?from=${FIRST_DAY}&by=key,account&top=10`, isFirst: true },
    { why: 'who uses the deprecated operation', path: `/usage/deprecated?from=${FIRST_DAY}`, isFirst: true },
    { why: 'one series of the chart', path: `/usage?from=${FIRST_DAY}&account=4711&by=hour` },
    { why: 'all calls of a month, by day', path: `/usage?from=${isoDay(-29)}&by=day&fill=true` },
    { why: 'the busiest accounts of a month', path: `/usage?from=${isoDay(-29)}&by=account&top=10` },
  ],
  Sources: [{ why: 'all sources', path: '/sources', isFirst: true }],
  Audit: [
    { why: 'the newest entries', path: '/audit?limit=100', isFirst: true },
    { why: 'entries about animals', path: '/audit?action=pet&limit=100' },
    { why: 'entries of one operator', path: '/audit?operator=1&limit=100' },
  ],
  Tokens: [{ why: 'all tokens', path: '/tokens?limit=100', isFirst: true }],
  Health: [
    { why: 'the state of each part', path: '/health', isFirst: true },
    { why: 'the findings of doctor', path: '/doctor', isFirst: true },
  ],
  Settings: [{ why: 'every setting', path: '/settings', isFirst: true }],
}

function isoDay(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
}
