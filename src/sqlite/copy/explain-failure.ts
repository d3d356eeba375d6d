import { UserError } from '../../domain/errors.ts'
import { systemReason } from '../../domain/system-error.ts'
import { isFull } from '../sqlite-errors.ts'
import type { CopyTask } from './copy-thread.ts'
import { LogChanged } from './log-scan.ts'

/** Why a step of the copy failed, in one sentence for operators. */
export function explainFailure(error: unknown, { folder, database }: Pick<CopyTask, 'folder' | 'database'>): string {
  if (error instanceof UserError) return error.message
  if (error instanceof LogChanged) return `The copy in ${folder} cannot be continued (${explainLog(error, database)}).`
  const reason = reasonOf(error, 'the disk is full')
  if (reason !== undefined) return `The copy in ${folder} cannot be written (${reason}).`
  return `The copy in ${folder} cannot be continued (${messageOf(error)}).`
}

/** The log is on the disk of the store, not of the copy. */
function explainLog(error: LogChanged, database: string): string {
  const { cause = error } = error
  return reasonOf(cause, `the disk of ${database} is full`) ?? messageOf(cause)
}

function reasonOf(error: unknown, whenFull: string): string | undefined {
  const isDiskFull = isFull(error) || (error as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC'
  return isDiskFull ? whenFull : systemReason(error)
}

/** Without a full stop, for use in brackets. */
function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}
