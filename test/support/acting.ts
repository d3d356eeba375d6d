import type { Acting } from '../../src/domain/administration/acting.ts'
import type { Deployment } from '../../src/domain/deployment.ts'
import type { Store } from '../../src/domain/store.ts'

/** An operator at work, as what operators do is told of one. */
export function acting(store: Store, now: number, deployment: Deployment = 'production'): Acting {
  return { store, deployment, actor: { name: 'ada', origin: '192.0.2.7' }, now }
}
