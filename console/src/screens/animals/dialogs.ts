import { useEffect } from 'react'
import { lazyPart } from '../../data/parts.tsx'
import { whenIdle } from '../../lib/when-idle.ts'

// Dialogs over the list are loaded after it, but before they are needed.

export const AddAnimalDialog = lazyPart(() => import('./AddAnimalDialog.tsx'), 'AddAnimalDialog')
export const AnimalDrawer = lazyPart(() => import('./AnimalDrawer.tsx'), 'AnimalDrawer')
export const BulkDialog = lazyPart(() => import('./BulkDialog.tsx'), 'BulkDialog')
export const CategoriesDialog = lazyPart(() => import('./CategoriesDialog.tsx'), 'CategoriesDialog')
export const ConflictDialog = lazyPart(() => import('./ConflictDialog.tsx'), 'ConflictDialog')
export const StatusMenu = lazyPart(() => import('./StatusMenu.tsx'), 'StatusMenu')

const DIALOGS = [AnimalDrawer, AddAnimalDialog, StatusMenu, BulkDialog, CategoriesDialog, ConflictDialog]

export function usePreloadedDialogs(): void {
  useEffect(() => {
    for (const dialog of DIALOGS) whenIdle(dialog.preload)
  }, [])
}
