import { registerHooks } from 'node:module'

// An import of one of our own modules names its file exactly. So Node need not look for the file, for its real path and for its package, which
// takes a fifth of the time of a start, and 6 MB.
registerHooks({
  resolve(specifier, context, next) {
    if (!/^\.\.?\/.+\.ts$/.test(specifier)) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
  },
})
