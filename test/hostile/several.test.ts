import { walk } from './walk.ts'

await walk({ instances: 3, isShared: true, hasProxyHeader: true })
