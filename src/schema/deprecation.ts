/** The id of `GET /v1/pets/{petId}`. */
export const DEPRECATED_OPERATION = 'getPet'
export const DEPRECATED_AT = Date.UTC(2025, 11, 5)
/** From this date on, it returns 410. */
export const SUNSET_AT = Date.UTC(2030, 11, 5)

/** The sunset date as text. Not computed, for the reason given in domain/format-number.ts. */
export const SUNSET_DATE = '5 December 2030'
