import { type ComponentType, useLayoutEffect } from 'react'
import { holdKeys } from '../lib/type-ahead.ts'
import { lazyChunk } from './lazy-chunks.tsx'

/** A lazily loaded dialog or menu. All typing belongs to it while it loads, and Esc cancels it. */
export function lazyOverlay<Name extends string, Props extends object>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
) {
  return lazyChunk(load, name, Opening)
}

function Opening(props: object) {
  const { onClose } = props as { onClose?: () => void }
  useLayoutEffect(() => holdKeys(onClose), [onClose])
  return null
}
