import { lazyOverlay } from '../../data/lazy-chunks.tsx'

/** Both the list and the drawer open it. */
export const DeleteAnimalDialog = lazyOverlay(() => import('./DeleteAnimalDialog.tsx'), 'DeleteAnimalDialog')
