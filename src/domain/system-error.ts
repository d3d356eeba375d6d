import { getSystemErrorMessage } from 'node:util'

/** Clearer than the messages of the operating system. */
const REASONS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'the host name cannot be resolved right now',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of the path is not a folder',
  ENOTFOUND: 'the host name cannot be resolved',
  EROFS: 'the file system is read-only',
}

/** Why something failed, without a full stop, so that it can be part of a sentence. */
export function reasonOf(error: unknown): string {
  return systemReason(error) ?? (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}

/** Why the operating system refused something, such as "permission denied"; undefined for any other kind of error. */
export function systemReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // Has one error for each address of a host name.
  if (error instanceof AggregateError) return systemReason(error.errors[0])
  const { code, errno, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return undefined
  // Of `rmSync`, Node makes positive numbers.
  return REASONS[code] ?? (typeof errno === 'number' ? getSystemErrorMessage(-Math.abs(errno)) : undefined)
}
