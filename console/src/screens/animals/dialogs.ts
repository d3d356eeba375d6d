import { useEffect } from 'react'
import { lazyChunk } from '../../data/lazy-chunks.tsx'
import { whenIdle } from '../../lib/when-idle.ts'

// Dialogs over the list are loaded after it, but before they are needed.

export const AddAnimalDialog = lazyChunk(() => import('./AddAnimalDialog.tsx'), 'AddAnimalDialog')
export const AnimalDrawer = lazyChunk(() => import('./AnimalDrawer.tsx'), 'AnimalDrawer')
export const BulkDialog = lazyChunk(() => import('./BulkDialog.tsx'), 'BulkDialog')
export const CategoriesDialog = lazyChunk(() => import('./CategoriesDialog.tsx'), 'CategoriesDialog')
export const ConflictDialog = lazyChunk(() => import('./ConflictDialog.tsx'), 'ConflictDialog')
export const DeleteAnimalDialog = lazyChunk(() => import('./DeleteAnimalDialog.tsx'), 'DeleteAnimalDialog')
export const StatusMenu = lazyChunk(() => import('./StatusMenu.tsx'), 'StatusMenu')

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
