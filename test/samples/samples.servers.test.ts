import { canRun } from '../support/servers/languages.ts'
import { trySamples } from './try-samples.ts'

await trySamples(['sh', 'ts', 'python'], canRun)
