import { type ComponentType, type FunctionComponent, lazy, Suspense, useLayoutEffect, useState } from 'react'
import { createStore } from '../lib/store.ts'
import { holdKeys } from '../lib/type-ahead.ts'
import { checkConnection } from './connection.ts'

// The screens, dialogs and menus of the console are chunks that are loaded when they are first needed.

/** Whether a chunk does not exist: the service was updated after the page was loaded, and serves the parts of another version. */
const isMissing = createStore(false)
export const useIsChunkMissing = isMissing.use

/** Loads a chunk as soon as the service can be reached. If the chunk does not exist, this never ends, so that what is shown stays. */
export async function loadChunk<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch {
    await checkConnection()
    return loadAgain(load).catch(reportMissing)
  }
}

interface LazyChunk {
  /** Preloads the chunk. Nothing waits for it, such as a change of screens. */
  preload(): undefined
}

/** A lazily loaded component. Until it is loaded, it shows nothing, or a placeholder. */
export function lazyChunk<Name extends string, Props extends object>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
  Meanwhile?: ComponentType<Props>,
): FunctionComponent<Props> & LazyChunk {
  let loaded: ComponentType<Props> | undefined
  // TypeScript cannot see that a lazy component has the same props.
  const Awaited = lazy(async () => ({ default: (await loadChunk(load))[name] })) as unknown as ComponentType<Props>
  const Part = (props: Props) => {
    // React reveals suspended content only after 300 ms, so a chunk that is already loaded is rendered directly. The choice is fixed on mount,
    // because another component would lose its state.
    const [Loaded] = useState(() => loaded)
    if (Loaded) return <Loaded {...props} />
    return (
      <Suspense fallback={Meanwhile && <Meanwhile {...props} />}>
        <Awaited {...props} />
      </Suspense>
    )
  }
  const keep = (chunk: Readonly<Record<Name, ComponentType<Props>>>) => {
    loaded = chunk[name]
  }
  const preload = () => void load().then(keep, () => {})
  return Object.assign(Part, { preload })
}

async function loadAgain<Part>(load: () => Promise<Part>): Promise<Part> {
  const styles = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')]
  // Vite requests a stylesheet only once, even if that failed.
  await Promise.all(styles.filter(({ sheet }) => sheet === null).map(loadStylesAgain))
  return load()
}

function loadStylesAgain(link: HTMLLinkElement): Promise<void> {
  const again = link.cloneNode() as HTMLLinkElement
  link.replaceWith(again)
  return new Promise((resolve, reject) => {
    again.addEventListener('load', () => resolve())
    again.addEventListener('error', reject)
  })
}

function reportMissing(): Promise<never> {
  isMissing.set(true)
  return new Promise(() => {})
}

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
