/** The id of `GET /v1/pets/{petId}`. */
export const DEPRECATED_OPERATION = 'getPet'
/** Since then, it is deprecated. */
export const DEPRECATED_AT = Date.UTC(2025, 11, 5)
/** From then on, it answers 410. */
export const SUNSET_AT = Date.UTC(2030, 11, 5)

/** The same in words, written out for the reason that domain/format-number.ts gives. */
export const SUNSET_DATE = '5 December 2030'
