import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserError } from '../../domain/errors.ts'
import { explainFailure } from './explain-failure.ts'
import { LogChanged } from './log-scan.ts'

const PLACES = { folder: '/mnt/copy', database: '/srv/petstore.db' }
const FULL = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
const NO_SPACE = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', errno: -28, syscall: 'write' })
const NO_FOLDER = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', errno: -2, syscall: 'open' })

test('a failure of the copy is explained in one sentence, which names the disk that is full', () => {
  const sentences: [error: unknown, sentence: string][] = [
    [new UserError('conflict', 'There is no folder /mnt/copy.'), 'There is no folder /mnt/copy.'],
    [FULL, 'The copy in /mnt/copy cannot be written (the disk is full).'],
    [NO_SPACE, 'The copy in /mnt/copy cannot be written (the disk is full).'],
    [NO_FOLDER, 'The copy in /mnt/copy cannot be written (no such file or folder).'],
    [
      new LogChanged('The log could not be kept in place.', { cause: FULL }),
      'The copy in /mnt/copy cannot be continued (the disk of /srv/petstore.db is full).',
    ],
    [
      new LogChanged('The log could not be kept in place.', { cause: new Error('disk I/O error') }),
      'The copy in /mnt/copy cannot be continued (disk I/O error).',
    ],
    [
      new LogChanged('The log could not be read to its end.'),
      'The copy in /mnt/copy cannot be continued (The log could not be read to its end).',
    ],
    [new Error('It broke.'), 'The copy in /mnt/copy cannot be continued (It broke).'],
  ]
  for (const [error, sentence] of sentences) assert.equal(explainFailure(error, PLACES), sentence)
})
