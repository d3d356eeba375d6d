/** Headers of every page: nothing loads from or is sent to another host, only our scripts and styles apply, and no other site can frame it. */
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
