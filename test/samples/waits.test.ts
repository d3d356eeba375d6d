import { tryWaits } from './try-waits.ts'

await tryWaits(['ts'])
