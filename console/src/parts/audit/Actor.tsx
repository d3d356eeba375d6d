import type { AuditEntry } from '../../api/schema.ts'

/** Who has done it. Of a refused sign-in, that is not known. */
export function Actor({ entry: { action, actor } }: { entry: AuditEntry }) {
  if (action === 'sign-in.refused') return <span className="muted">Not signed in</span>
  return <bdi>{actor}</bdi>
}
