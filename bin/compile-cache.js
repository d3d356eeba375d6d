import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// The compile cache halves the run time of a command. It is not in the temporary folder, because other users can write there. If this
// folder is not writable, there is no cache. Threads find the cache through the variable.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/petstore', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
