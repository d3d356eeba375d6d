/** The guides for callers, in reading order; each is a file in docs/guides. */
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

/** The guides for operators, in reading order; each is a file in docs/guides/operators. */
export const OPERATOR_GUIDES = ['care-for-animals', 'run-the-console'] as const

/** The pictures in the operator guides, in the same folder: `NAME.webp`, and `NAME-dark.webp` for dark pages. */
export const OPERATOR_PICTURES = ['account', 'animals', 'bad-lines', 'conflict', 'deleted', 'sources'] as const
