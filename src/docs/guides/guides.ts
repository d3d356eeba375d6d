/** The guides in reading order; each is a file in docs/guides. */
export const GUIDES = [
  'quick-start',
  'authentication',
  'pages',
  'limits',
  'idempotency',
  'errors',
  'deprecation',
  'versioning',
  'staging',
] as const
