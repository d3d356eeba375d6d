import { type Logger, pino, stdSerializers } from 'pino'
import { bounded, spellOut, withoutSecrets } from '../domain/untrusted-text.ts'

const MAX_ERROR = 8_000

/** Opens the service's log: one JSON document per line. Callers pass client text through `forLog`; errors are made safe here. */
export function openLog(level: string, logTo: { write(line: string): unknown }): Logger {
  return pino({ level, base: null, serializers: { err: describeError } }, logTo)
}

/** An error may repeat its input in its text or its properties. Only its text is logged, made safe in the same way as by `forLog`. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return shown(String(error))
  const { type, message, stack } = stdSerializers.err(error)
  const { code } = error as NodeJS.ErrnoException
  return {
    type,
    ...(code !== undefined && { code: shown(String(code)) }),
    // A cause follows the sentence of its error.
    message: shown(message.replaceAll('.: ', ': ')),
    stack: shown(stack),
  }
}

function shown(text: string): string {
  return bounded(withoutSecrets(text).split('\n').map(spellOut).join('\n'), MAX_ERROR)
}
