/**
 * The exports of node:http that we use. `import` would evaluate every export of that module, and some of them load all of fetch, which takes
 * a tenth of the startup time.
 */
export const { createServer, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')
