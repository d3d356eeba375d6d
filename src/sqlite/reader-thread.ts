import { parentPort, workerData } from 'node:worker_threads'
import type { StoreFile } from './batches.ts'
import { connect } from './connection.ts'
import { ensureFilesInPlace } from './data-folder/file-identity.ts'
import { readLong } from './operations.ts'
import type { ReadCall } from './reader.ts'
import { Statements } from './statements.ts'
import { answerRequests } from './thread.ts'

const { path, files }: StoreFile = workerData
// Connecting would create a missing file.
ensureFilesInPlace(files)
const statements = new Statements(connect(path))

answerRequests(parentPort, (call: ReadCall) => readLong(statements, ...call))
