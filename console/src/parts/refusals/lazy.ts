import { lazyChunk } from '../../data/lazy-chunks.tsx'
import { Loading } from '../../ui/states.tsx'

/** Loaded after what is above it. */
export const RefusalTable = lazyChunk(() => import('./RefusalTable.tsx'), 'RefusalTable', Loading)
