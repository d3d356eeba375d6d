import { lazyOverlay } from '../../data/lazy-overlay.tsx'

/** Both the list and the drawer open it. */
export const DeleteAnimalDialog = lazyOverlay(() => import('./DeleteAnimalDialog.tsx'), 'DeleteAnimalDialog')
