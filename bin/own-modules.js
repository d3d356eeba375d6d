import { registerHooks } from 'node:module'

// Imports of our own modules name the exact file. This hook skips Node's search for the file, its real path and its package, which would
// take a fifth of the start-up time and 6 MB.
registerHooks({
  resolve(specifier, context, next) {
    if (!/^\.\.?\/.+\.ts$/.test(specifier)) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
  },
})
