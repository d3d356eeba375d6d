/** Headers of every page: it exchanges no data with other hosts, runs only our scripts and styles, and cannot be framed. */
export const PAGE_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy',
  'no-referrer',
]
