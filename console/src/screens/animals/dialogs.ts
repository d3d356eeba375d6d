import { lazyChunk, lazyOverlay } from '../../data/lazy-chunks.tsx'

// Dialogs over the list.

export const AddAnimalDialog = lazyOverlay(() => import('./AddAnimalDialog.tsx'), 'AddAnimalDialog')
export const AnimalDrawer = lazyOverlay(() => import('./AnimalDrawer.tsx'), 'AnimalDrawer')
export const BulkDialog = lazyOverlay(() => import('./BulkDialog.tsx'), 'BulkDialog')
export const CategoriesDialog = lazyOverlay(() => import('./CategoriesDialog.tsx'), 'CategoriesDialog')
export const ConflictDialog = lazyOverlay(() => import('./ConflictDialog.tsx'), 'ConflictDialog')
export const DeleteAnimalDialog = lazyOverlay(() => import('./DeleteAnimalDialog.tsx'), 'DeleteAnimalDialog')
export const DeletedAnimals = lazyChunk(() => import('./DeletedAnimals.tsx'), 'DeletedAnimals')
export const StatusMenu = lazyOverlay(() => import('./StatusMenu.tsx'), 'StatusMenu')
