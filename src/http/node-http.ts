/**
 * What we use of node:http. `import` would look at every export of that module, and the last of them load the whole of fetch: a tenth of the
 * time that the service needs to start.
 */
export const { createServer, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')
