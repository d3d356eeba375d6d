import { Readable } from 'node:stream'
import yauzl from 'yauzl'
import { damaged } from './damaged.ts'

/** A file that can be read from any position. */
export interface FileSource {
  bytes: number
  open(from: number): AsyncIterable<Buffer>
}

/** Unpacked. A sheet with the maximum of rows and four columns takes a fifth of it. */
export const MAX_SHEET_BYTES = 1_073_741_824
/** What is kept in memory, such as the styles, is far smaller. */
const MAX_PART_BYTES = 33_554_432
/** A sheet shrinks to a tenth or twentieth, at most to a hundredth. Deflate can reach a thousandth. */
const MAX_RATIO = 200
/** Smaller parts may shrink more. */
const FREE_BYTES = 16_777_216
/** Each picture is a part. */
export const MAX_PARTS = 5_000

/** The parts of a ZIP file, by their names in lower case. */
export class Zip implements Disposable {
  readonly #file: yauzl.ZipFile
  readonly #entries: ReadonlyMap<string, yauzl.Entry>

  private constructor(file: yauzl.ZipFile, entries: ReadonlyMap<string, yauzl.Entry>) {
    this.#file = file
    this.#entries = entries
  }

  /** @throws Error when it is not a valid ZIP file */
  static async open(source: FileSource): Promise<Zip> {
    const options = { autoClose: false, validateEntrySizes: true }
    const file = await yauzl.fromRandomAccessReaderPromise(new SourceReader(source), source.bytes, options)
    if (file.entryCount > MAX_PARTS) throw damaged(`it has more than ${MAX_PARTS} parts`)
    const entries = await Array.fromAsync(file.eachEntry())
    return new Zip(file, new Map(entries.map(entry => [entry.fileName.toLowerCase(), entry])))
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /** How many bytes a part would unpack to; 0 for a missing part. */
  sizeOf(name: string): number {
    return this.#entries.get(name.toLowerCase())?.uncompressedSize ?? 0
  }

  /**
   * Unpacks a part as it is read. Its size is known before, and no more than that is unpacked.
   * @throws UserError when there is no such part, or it would unpack to far too much
   */
  async *read(name: string, maxBytes = MAX_PART_BYTES): AsyncGenerator<Buffer, void> {
    const entry = this.#entries.get(name.toLowerCase())
    if (!entry) throw damaged(`${name} is missing`)
    const { uncompressedSize: size, compressedSize: packed } = entry
    if (size > maxBytes || (size > FREE_BYTES && size > packed * MAX_RATIO)) {
      throw damaged('it would unpack to far more than a sheet can have')
    }
    yield* await this.#file.openReadStreamPromise(entry)
  }

  [Symbol.dispose](): void {
    this.#file.close()
  }
}

class SourceReader extends yauzl.RandomAccessReader {
  readonly #source: FileSource

  constructor(source: FileSource) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readRange(this.#source, start, end), { objectMode: false })
  }
}

async function* readRange(source: FileSource, start: number, end: number): AsyncGenerator<Buffer, void> {
  let left = end - start
  if (left === 0) return
  for await (const chunk of source.open(start)) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}
