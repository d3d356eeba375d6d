/** The id of `GET /v1/pets/{petId}`. */
export const DEPRECATED_OPERATION = 'getPet'
/** Since then, it is deprecated. */
export const DEPRECATED_AT = Date.UTC(2025, 11, 5)
/** From then on, it answers 410. */
export const SUNSET_AT = Date.UTC(2030, 11, 5)

export const SUNSET_DATE = new Date(SUNSET_AT).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
