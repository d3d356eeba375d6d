import { buildQueryCheck } from '../http/query.ts'
import { ListQuery } from '../http/schemas.ts'

/** Reads the query of listPets. */
export const parseListQuery = buildQueryCheck(ListQuery)
