import { makeStore } from '../support/command-line.ts'
import { walk } from './walk.ts'

await walk({ makeStore, instances: 1, hasProxyHeader: false })
