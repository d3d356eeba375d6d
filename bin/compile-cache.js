import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// The compile cache halves the time of a command. It is not in the temporary folder, where other users could write; if this folder is not
// writable, there is no cache. Threads find it through the variable, too.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/petstore', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
