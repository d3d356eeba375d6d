// The container's health check: exits with 0 if this container's service is alive. The operators' listener must also listen on 127.0.0.1.
const port = process.env.PETSTORE_OPERATOR_PORT || '8081'
const response = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => undefined,
)
process.exitCode = response?.ok ? 0 : 1
