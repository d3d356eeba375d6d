import { isoTime } from '../../domain/time.ts'
import type { Request } from '../handler.ts'

/** Suggests a name with the day in UTC, such as `pets-2026-11-26.csv`, so that exports of different days have different names. */
export function suggestFileName({ headers, context }: Request, name: string, format: string): void {
  const day = isoTime(context.now).slice(0, 10)
  headers.push('Content-Disposition', `attachment; filename="${name}-${day}.${format}"`)
}
