import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './connection.ts'
import { readLong } from './operations.ts'
import type { ReadCall } from './reader.ts'
import { Statements } from './statements.ts'
import { answerRequests } from './thread.ts'

const statements = new Statements(connect(workerData))

answerRequests(parentPort, (call: ReadCall) => readLong(statements, ...call))
