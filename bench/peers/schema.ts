import { z } from 'zod'
import { DEFAULT_LIMIT, DEFAULT_STATUS, MAX_LIMIT, MAX_NAME_LENGTH, STATUSES } from './job.ts'

/** For the peers that have no built-in validation. */

export const NewPet = z.object({
  name: z.string().trim().min(1).max(MAX_NAME_LENGTH),
  categoryId: z.number().int(),
  status: z.enum(STATUSES).default(DEFAULT_STATUS),
})

export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  status: z.enum(STATUSES).optional(),
  after: z.coerce.number().int().min(0).default(0),
})

export const PetId = z.object({ id: z.coerce.number().int() })
