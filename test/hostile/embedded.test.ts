import { walk } from './walk.ts'

await walk({ instances: 1, isShared: false, hasProxyHeader: false })
