import { walk } from './walk.ts'

await walk({ instances: 1, isShared: true, hasProxyHeader: false })
