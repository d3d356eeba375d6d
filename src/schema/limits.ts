import { formatNumber } from '../domain/format-number.ts'

/** The maximum sizes of requests, on both listeners. Error messages and OpenAPI documents quote them. */

export const MAX_BODY_BYTES = 65_536
/** For a streamed body: about ten million animals. */
export const MAX_UPLOAD_BYTES = 1_073_741_824
export const MAX_TARGET_BYTES = 8_192
/** Of the target and the headers together. */
export const MAX_HEADER_BYTES = 16_384
export const MAX_HEADERS = 1_000
/** Levels of nested objects and arrays. */
export const MAX_JSON_DEPTH = 32
/** Items of a list in one response. */
export const MAX_PAGE_SIZE = 100

/** Such as "65,536 bytes". */
export function bytes(count: number): string {
  return `${formatNumber(count)} bytes`
}
