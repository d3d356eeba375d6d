import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// V8 may conclude from a first burst of calls that objects of a call live long, and then creates them in the old generation. There they keep everything
// that they refer to alive until a full collection, and each minor collection takes 10 ms instead of 1 (decision 0006). V8 refuses code that was
// compiled with other flags, so this comes before the cache.
setFlagsFromString('--no-allocation-site-pretenuring')

// The compile cache halves the run time of a command. It is not in the temporary folder, because other users can write there. If this
// folder is not writable, there is no cache. Threads find the cache through the variable.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/petstore', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
