import { canRun } from '../support/servers/languages.ts'
import { tryWaits } from './try-waits.ts'

await tryWaits(['sh', 'ts', 'python'], canRun)
