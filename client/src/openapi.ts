// Made from openapi.json by `npm run generate --workspace client`.

/** Availability status. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** The error codes of the service. */
export type ErrorCode =
  | 'malformed_request'
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'invalid_json'
  | 'invalid_body'
  | 'invalid_idempotency_key'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'https_required'
  | 'insufficient_scope'
  | 'pet_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'idempotency_in_progress'
  | 'operation_removed'
  | 'body_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'idempotency_key_reused'
  | 'rate_limit_exceeded'
  | 'api_key_banned'
  | 'headers_too_large'
  | 'internal_error'
  | 'method_not_supported'
  | 'overloaded'
  | 'service_unavailable'
  | 'store_full'

/** An animal in the catalogue. */
export interface Pet {
  /** Unique identifier, assigned by the service on creation, starting at 1. */
  id: bigint
  /** The animal's name, kept byte for byte. */
  name: string
  /** Identifier of the category the animal belongs to. */
  categoryId: bigint
  status: PetStatus
}
