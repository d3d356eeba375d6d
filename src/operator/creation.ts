import type { Static, TObject, TSchema } from '../schema/type.ts'
import { createOnce } from './create-once.ts'
import type { WithBody } from './handler.ts'
import { admin, type Description, type NoMembers, staff } from './operation.ts'

/** An operation that creates something, once for each `Idempotency-Key`. */
interface Creation<Body extends TObject, Response extends TSchema, Created>
  extends Omit<Description<NoMembers, Body, Response>, 'query' | 'status' | 'handle' | 'location' | 'isRepeatable'> {
  location?: string
  create: (request: WithBody<Body>) => Promise<Created>
  /** The body of the response. Depends only on what was created and on settings, because repeated requests get the same answer. */
  answer: (created: Created, request: WithBody<Body>) => Static<Response>
}

export const staffCreates = creationsFor(staff)
export const adminCreates = creationsFor(admin)

function creationsFor(define: typeof staff) {
  return <Body extends TObject, Response extends TSchema, Created>(
    method: 'POST',
    path: string,
    { create, answer, ...description }: Creation<Body, Response, Created>,
  ) =>
    define<NoMembers, Body, Response>(method, path, {
      ...description,
      status: 201,
      isRepeatable: true,
      handle: async request => answer(await createOnce(request, () => create(request)), request),
    })
}
