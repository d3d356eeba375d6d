// The container's health check: exits with 0 if this container's service is alive. The operators' listener must also listen on 127.0.0.1.
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'

// The settings file that `petstore serve` reads. What the environment has wins.
const { PETSTORE_ENV_FILE: named } = process.env
for (const file of named === undefined ? ['petstore.env', '/etc/petstore/petstore.env'] : [named]) {
  try {
    process.loadEnvFile(file)
    break
  } catch {}
}

const port = process.env.PETSTORE_OPERATOR_PORT || '8081'
const isHttps = Boolean(process.env.PETSTORE_OPERATOR_TLS_CERT)
// The certificate is for another name, and this check need not verify who responds.
const options = {
  host: '127.0.0.1',
  port,
  path: '/livez',
  rejectUnauthorized: false,
  signal: AbortSignal.timeout(4_000),
}

process.exitCode = 1
const request = (isHttps ? getHttps : getHttp)(options, response => {
  if (response.statusCode === 200) process.exitCode = 0
  response.destroy()
})
request.on('error', () => {})
