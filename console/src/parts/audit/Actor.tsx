import type { AuditEntry } from '../../api/schema.ts'

/** Who did it. For a refused sign-in, that is unknown. */
export function Actor({ entry: { action, actor } }: { entry: AuditEntry }) {
  if (action === 'sign-in.refused') return <span className="muted">Not signed in</span>
  return <bdi>{actor}</bdi>
}
