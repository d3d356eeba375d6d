import type { Readable } from 'node:stream'
import type { PetFileFormat } from '../domain/pet-files.ts'
import { isoTime } from '../domain/time.ts'
import { noLongerPermitted } from './authenticate.ts'
import { type Request, Streamed } from './handler.ts'

export const NDJSON = 'application/x-ndjson'
export const CSV = 'text/csv'
export const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const TYPES: Readonly<Record<PetFileFormat, string>> = { ndjson: NDJSON, csv: `${CSV}; charset=utf-8`, xlsx: WORKBOOK }

/** A file for browsers to save. The day in its name is in UTC, such as `pets-2026-11-26.csv`, so that exports of different days differ in it. */
export function fileOfDay(request: Request, name: string, format: PetFileFormat, body: Readable): Streamed {
  return fileNamed(request, `${name}-${isoTime(request.context.now).slice(0, 10)}`, format, body)
}

export function fileNamed({ headers }: Request, name: string, format: PetFileFormat, body: Readable): Streamed {
  headers.push('Content-Disposition', `attachment; filename="${name}.${format}"`)
  return new Streamed(TYPES[format], body)
}

/**
 * The parts of a long download, as long as its operator may read them. Then it breaks off, so that it does not look complete.
 * @throws Refusal invalid_token, role_insufficient
 */
export async function* whilePermitted<Part>(
  { context: { store, actor }, clock }: Request,
  parts: AsyncIterable<Part>,
): AsyncGenerator<Part> {
  const { permit } = actor
  for await (const part of parts) {
    const fault = permit && (await store.findPermitFault(permit, clock()))
    if (fault) throw noLongerPermitted(fault, permit)
    yield part
  }
}
