import { useEffect } from 'react'
import { lazyChunk, lazyOverlay } from '../../data/lazy-chunks.tsx'
import { whenIdle } from '../../lib/when-idle.ts'
import { DeleteAnimalDialog } from './delete-animal-dialog.ts'

// Dialogs over the list are loaded after it, but before they are needed.

export const AddAnimalDialog = lazyOverlay(() => import('./AddAnimalDialog.tsx'), 'AddAnimalDialog')
export const AnimalDrawer = lazyOverlay(() => import('./AnimalDrawer.tsx'), 'AnimalDrawer')
export const BulkDialog = lazyOverlay(() => import('./BulkDialog.tsx'), 'BulkDialog')
export const CategoriesDialog = lazyOverlay(() => import('./CategoriesDialog.tsx'), 'CategoriesDialog')
export const ConflictDialog = lazyOverlay(() => import('./ConflictDialog.tsx'), 'ConflictDialog')
export const DeletedAnimals = lazyChunk(() => import('./DeletedAnimals.tsx'), 'DeletedAnimals')
export const StatusMenu = lazyOverlay(() => import('./StatusMenu.tsx'), 'StatusMenu')

const DIALOGS = [
  AnimalDrawer,
  AddAnimalDialog,
  StatusMenu,
  DeleteAnimalDialog,
  BulkDialog,
  CategoriesDialog,
  ConflictDialog,
]

export function usePreloadedDialogs(): void {
  useEffect(() => {
    for (const dialog of DIALOGS) whenIdle(dialog.preload)
  }, [])
}
