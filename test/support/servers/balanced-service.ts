import type { Config } from '../../../src/app/config.ts'
import type { Service } from '../../../src/app/service.ts'
import { portOf, type Started } from '../started.ts'
import { BALANCER_ADDRESS, type Balancer, openBalancer } from './balancer.ts'

/** How many instances are behind the load balancer. */
const BALANCED_INSTANCES = 3

/** Starts several instances behind a load balancer, or none. The balancer forwards encrypted bytes. */
export async function startBalanced(config: Config, run: (config: Config) => Promise<Service>): Promise<Started> {
  const balancer = await openBalancer()
  const url = `${config.tls.public ? 'https' : 'http'}://127.0.0.1:${balancer.port}`
  const own: Config = {
    ...config,
    publicUrls: { [config.deployment]: `${url}/v1`, ...config.publicUrls },
    trustedProxies: [BALANCER_ADDRESS, ...config.trustedProxies],
    proxyProtocol: true,
  }
  const attempts = await Promise.allSettled(Array.from({ length: BALANCED_INSTANCES }, () => run(own)))
  const services = attempts.flatMap(attempt => (attempt.status === 'fulfilled' ? [attempt.value] : []))
  const close = () => closeBalanced(balancer, services)
  try {
    for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason
    balancer.start(
      services.map(({ url, operatorUrl }) => ({
        port: portOf(url),
        operatorPort: portOf(operatorUrl),
        isEncrypted: config.tls.operators !== undefined,
      })),
      // All instances are in this process: while a test keeps it busy, all would fail their checks.
      false,
    )
  } catch (error) {
    await close()
    throw error
  }
  return { url, instances: services as [Service, ...Service[]], close }
}

async function closeBalanced(balancer: Balancer, services: readonly Service[]): Promise<void> {
  balancer.stopAccepting()
  await Promise.all(services.map(service => service.close()))
  await balancer.close()
}
