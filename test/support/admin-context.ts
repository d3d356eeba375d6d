import type { AdminContext } from '../../src/domain/administration/context.ts'
import type { Deployment } from '../../src/domain/deployment.ts'
import type { Store } from '../../src/domain/store.ts'

/** An operator at work. */
export function adminContext(store: Store, now: number, deployment: Deployment = 'production'): AdminContext {
  return { store, deployment, actor: { name: 'ada', origin: '192.0.2.7' }, now }
}
