import { noLongerPermitted } from './authenticate.ts'
import type { Request } from './handler.ts'

/**
 * The parts of a long download, as long as its operator may read them. Then it breaks off, so that it does not look complete.
 * @throws Refusal invalid_token, role_insufficient
 */
export async function* whilePermitted<Part>(
  { context: { store, actor }, clock }: Request,
  parts: AsyncIterable<Part>,
): AsyncGenerator<Part> {
  const { permit } = actor
  for await (const part of parts) {
    const fault = permit && (await store.findPermitFault(permit, clock()))
    if (fault) throw noLongerPermitted(fault, permit)
    yield part
  }
}
