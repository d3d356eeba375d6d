import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './database.ts'

const database = openDatabase(workerData.folder)
database.exec('BEGIN IMMEDIATE')
parentPort?.postMessage('locked')
if (parentPort) await once(parentPort, 'message')
database.exec('ROLLBACK')
database.close()
parentPort?.close()
