import { getSystemErrorMessage } from 'node:util'

/** Clearer than what the operating system says. */
const REASONS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'the host name cannot be resolved right now',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  ENOTFOUND: 'the host name cannot be resolved',
  EROFS: 'the file system is read-only',
}

/** Why something failed, without a full stop, so that it can be a part of a sentence. */
export function reasonOf(error: unknown): string {
  return systemReason(error) ?? (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}

/** Why the operating system refused something, in words such as "permission denied"; undefined for an error of another kind. */
export function systemReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // One for each address of a host name.
  if (error instanceof AggregateError) return systemReason(error.errors[0])
  const { code, errno, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return undefined
  return REASONS[code] ?? (typeof errno === 'number' ? getSystemErrorMessage(errno) : undefined)
}
