interface ScreenCall {
  /** What the screen shows by it. */
  why: string
  /** Below /admin/v1. */
  path: string
}

/** The calls of each screen of a console, in the order in which it makes them. */
export const SCREENS: Readonly<Record<string, readonly ScreenCall[]>> = {
  Frame: [
    { why: 'who is signed in', path: '/session' },
    { why: 'the deployment and the version', path: '/version' },
  ],
  Overview: [
    { why: 'whether all is well', path: '/health' },
    { why: 'calls per hour of the last day', path: '/usage?by=hour,operation&fill=true' },
    { why: 'animals per status', path: '/pets/totals' },
    { why: 'who is banned', path: '/bans?limit=5' },
    { why: 'the newest actions', path: '/audit?limit=10' },
    { why: 'who uses the deprecated operation', path: '/usage/deprecated?limit=5' },
  ],
  Animals: [
    { why: 'the newest animals', path: '/pets?sort=newest&limit=100' },
    { why: 'animals per status', path: '/pets/totals' },
    { why: 'the labels of categories', path: '/categories' },
    { why: 'two statuses, oldest first', path: '/pets?status=available,pending&limit=100' },
    { why: 'a search that finds many', path: '/pets?name=emile&sort=newest&limit=100' },
    { why: 'a search that finds one', path: '/pets?name=brave+4711&limit=100' },
    { why: 'a search that finds nothing', path: '/pets?name=unicorn&limit=100' },
    { why: 'totals of a search', path: '/pets/totals?name=emile' },
    { why: 'a category of a status', path: '/pets?categoryId=7&status=sold&limit=100' },
    { why: 'one animal', path: '/pets/500000' },
    { why: 'its history', path: '/pets/50000/history' },
  ],
  Accounts: [
    { why: 'the first page', path: '/accounts?limit=100' },
    { why: 'a search by a part of the name', path: '/accounts?name=krakow&limit=100' },
    { why: 'those that are suspended', path: '/accounts?state=suspended&limit=100' },
    { why: 'one account', path: '/accounts/4711' },
    { why: 'what is left of its limits', path: '/accounts/4711/windows' },
    { why: 'its keys', path: '/keys?account=4711' },
    { why: 'its usage, day by day', path: '/usage?account=4711&by=day&fill=true' },
  ],
  Keys: [
    { why: 'the first page', path: '/keys?limit=100' },
    { why: 'those that never called', path: '/keys?used=false&limit=100' },
    { why: 'those that expire soon', path: '/keys?state=active&expiresBefore=2026-12-24T00:00:00Z&limit=100' },
    { why: 'those that have not called for long', path: '/keys?unusedSince=2026-11-01T00:00:00Z&limit=100' },
    { why: 'a search by the name', path: '/keys?search=99999&limit=100' },
    { why: 'those that are banned', path: '/keys?state=banned&limit=100' },
    { why: 'links that are still open', path: '/claim-links' },
  ],
  Bans: [
    { why: 'the bans in force', path: '/bans?limit=100' },
    { why: 'the history of a key', path: '/keys/4/bans' },
  ],
  Usage: [
    { why: 'by operation, day by day', path: '/usage?by=day,operation&fill=true' },
    { why: 'by operation, hour by hour', path: '/usage?by=hour,operation&fill=true' },
    { why: 'the busiest accounts of a month', path: '/usage?by=account&top=20' },
    { why: 'the busiest keys of a month', path: '/usage?by=key&top=20' },
    { why: 'by status class, day by day', path: '/usage?by=day,status&fill=true' },
    { why: 'who uses the deprecated operation', path: '/usage/deprecated' },
  ],
  Audit: [
    { why: 'the newest entries', path: '/audit?limit=100' },
    { why: 'those about animals', path: '/audit?action=pet&limit=100' },
    { why: 'those of an operator', path: '/audit?operator=1&limit=100' },
  ],
  Tokens: [{ why: 'all tokens', path: '/tokens' }],
  Health: [
    { why: 'the state of each part', path: '/health' },
    { why: 'the findings of doctor', path: '/doctor' },
  ],
  Settings: [{ why: 'every setting', path: '/settings' }],
}
