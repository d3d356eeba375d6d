import { join } from 'node:path'

/** The compiler's program, for Node. */
export const TSC = join(import.meta.dirname, 'node_modules/typescript/bin/tsc')
