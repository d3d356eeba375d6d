import { lazyChunk } from '../../data/lazy-chunks.tsx'
import { Loading } from '../Loading.tsx'

/** Loaded after what is above it. */
export const RefusalTable = lazyChunk(() => import('./RefusalTable.tsx'), 'RefusalTable', Loading)
