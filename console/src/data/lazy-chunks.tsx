import { type ComponentType, lazy, Suspense, useLayoutEffect, useState } from 'react'
import { createStore } from '../lib/store.ts'
import { holdKeys } from '../lib/type-ahead.ts'
import { checkConnection } from './connection.ts'

// The screens, dialogs and menus of the console are chunks that are loaded when they are first needed.

/** Whether a chunk does not exist: the service was updated after the page was loaded, and serves the parts of another version. */
const isMissing = createStore(false)
export const useIsChunkMissing = isMissing.use

/** Loads a chunk as soon as the service can be reached. If the chunk does not exist, this never ends, so that what is shown stays. */
async function loadChunk<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch {
    await checkConnection()
    return loadAgain(load).catch(reportMissing)
  }
}

/** How to load each chunk, which may add others. */
const rest = new Set<() => Promise<void>>()

/** Loads everything that has not been needed yet, so that it opens at once, also while the service cannot be reached. */
export async function loadRest(): Promise<void> {
  for (const load of rest) await load()
}

/** A lazily loaded component. Until it is loaded, it shows nothing, or a placeholder. */
export function lazyChunk<Name extends string, Props extends object>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
  Meanwhile?: ComponentType<Props>,
) {
  let loaded: ComponentType<Props> | undefined
  // TypeScript cannot see that a lazy component has the same props.
  const Awaited = lazy(async () => ({ default: (await loadChunk(load))[name] })) as unknown as ComponentType<Props>
  const loadEarly = async () => {
    loaded = (await load().catch(() => undefined))?.[name]
  }
  rest.add(loadEarly)
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
  // A change of screens does not wait for it.
  return Object.assign(Part, { preload: () => void loadEarly() })
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
  const { onClose, isBeside } = props as { onClose?: () => void; isBeside?: boolean }
  useLayoutEffect(() => holdKeys(onClose, isBeside), [onClose, isBeside])
  return null
}
