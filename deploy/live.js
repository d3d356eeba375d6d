// The container's health check: ends with 0 if the service of this container lives. Its operators' listener must listen on 127.0.0.1 too.
const port = process.env.PETSTORE_OPERATOR_PORT || '8081'
const answer = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => undefined,
)
process.exitCode = answer?.ok ? 0 : 1
