export { type ClientOptions, PetstoreClient } from './client.ts'
export {
  ApiKeyError,
  BannedError,
  InvalidRequestError,
  NetworkError,
  NotFoundError,
  PetstoreError,
  RateLimitError,
  ScopeError,
  ServiceError,
  TimeoutError,
} from './errors.ts'
export type { Hooks, RequestEvent, ResponseEvent, WaitEvent } from './hooks.ts'
export type { ErrorCode, Pet, PetStatus } from './openapi.ts'
export type { PetPage, PetPages } from './page.ts'
export type { CreatePetOptions, ListPetsOptions, NewPetInput, Pets } from './pets.ts'
export type { RateLimit, RateLimitWindow } from './rate-limit.ts'
export type { CallOptions } from './transport.ts'
