import { parentPort, workerData } from 'node:worker_threads'
import { buildLibrary } from './library.ts'

parentPort?.postMessage(await buildLibrary(workerData))
