import { type LinkProps, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { createStore } from '../lib/store.ts'
import { OVERLAYS } from '../lib/type-ahead.ts'
import type { IconName } from '../ui/Icon.tsx'

/** A key, or a sequence of keys, that works while a screen or a part of it is shown. */
export interface Shortcut {
  /** A key, such as `n` or `?`; `mod+k` for Ctrl+K or ⌘K; or a sequence, such as `g a`. */
  keys: string
  /** Its action as a command: "Add animal". The list of shortcuts and the command palette show it. */
  name: string
  /** Left out if the focused element handles the key itself, like a table row: the shortcut is then only listed. */
  run?: (() => void) | undefined
}

/** The current shortcuts, oldest first. */
export const shortcuts = createStore<readonly Shortcut[]>([])

/** @returns a function that removes it */
function register(shortcut: Shortcut): () => void {
  shortcuts.set([...shortcuts.get(), shortcut])
  if (wanted?.name === shortcut.name) {
    if (Date.now() < wanted.until) queueMicrotask(() => shortcut.run?.())
    wanted = undefined
  }
  return () => shortcuts.set(shortcuts.get().filter(one => one !== shortcut))
}

/** The shortcut to run once its screen has loaded. */
let wanted: { name: string; until: number } | undefined
const PATIENCE_MS = 10_000

/** Runs the shortcut with this name, or, if its screen is not shown yet, as soon as it is. */
export function perform(name: string): void {
  const shown = shortcuts.get().findLast(one => one.name === name)
  wanted = shown ? undefined : { name, until: Date.now() + PATIENCE_MS }
  shown?.run?.()
}

/**
 * Offers a shortcut as long as the component is shown:
 *
 *     useShortcut({ keys: 'n', name: 'Issue key', run: () => setIsOpen(true) }, isAdmin)
 *
 * It does nothing while someone types in a field or a dialog is open. If several shortcuts have the same keys, the newest one runs. Actions that the
 * command palette offers on every screen have their own hook: `useAction`.
 * @param isAllowed whether the operator may do it, and it currently makes sense
 */
export function useShortcut({ keys, name, run }: Shortcut, isAllowed = true): void {
  const isHandledElsewhere = run === undefined
  const act = useEffectEvent(() => run?.())
  useEffect(() => {
    if (!isAllowed) return
    return register({ keys, name, run: isHandledElsewhere ? undefined : () => act() })
  }, [keys, name, isHandledElsewhere, isAllowed])
}

/** Frequent actions, available on every screen. */
export interface Action {
  name: string
  /** The screen that performs it. */
  to: NonNullable<LinkProps['to']>
  icon: IconName
  needsAdmin?: boolean
}

export const ACTIONS = {
  addAnimal: { name: 'Add animal', to: '/animals', icon: 'plus' },
  createAccount: { name: 'Create account', to: '/accounts', icon: 'plus', needsAdmin: true },
  issueKey: { name: 'Issue key', to: '/keys', icon: 'plus', needsAdmin: true },
  createToken: { name: 'Create operator token', to: '/tokens', icon: 'plus', needsAdmin: true },
} as const satisfies Readonly<Record<string, Action>>

/** Performs an action of the command palette on the current screen, also with the key `n`. */
export function useAction(action: keyof typeof ACTIONS, run: () => void, isAllowed = true): void {
  useShortcut({ keys: 'n', name: ACTIONS[action].name, run }, isAllowed)
}

/** Keys form a sequence if no more than this time passes between them. */
const MAX_PAUSE_MS = 1_000

/** People pause for longer between two keys. A scanner, or a program that types a password, means a text: none of its letters is a command. */
const MIN_PAUSE_MS = 30

const FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]'

/**
 * Runs the shortcuts as their keys are pressed.
 * @returns a function that stops it
 */
export function listenToKeys(): () => void {
  let first = ''
  let firstAt = 0
  let typedAt = Number.NEGATIVE_INFINITY

  function press(event: KeyboardEvent): void {
    if (isPartOfText(event) && !isTyping(event)) {
      // Nor may the focused row handle it.
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const key = keyOf(event)
    if (key === undefined || document.querySelector(OVERLAYS) || (!isCommand(event) && isTyping(event))) return
    const before = event.timeStamp - firstAt < MAX_PAUSE_MS ? first : ''
    const shortcut = find(`${before} ${key}`) ?? find(key)
    first = shortcut ? '' : key
    firstAt = event.timeStamp
    if (!shortcut) return
    // Neither the browser nor the focused row may handle the key as well.
    event.preventDefault()
    event.stopPropagation()
    shortcut.run?.()
  }

  function isPartOfText(event: KeyboardEvent): boolean {
    if (event.key?.length !== 1 || isCommand(event)) return false
    const pause = event.timeStamp - typedAt
    typedAt = event.timeStamp
    return pause < MIN_PAUSE_MS
  }

  addEventListener('keydown', press, { capture: true })
  return () => removeEventListener('keydown', press, { capture: true })
}

function find(keys: string): Shortcut | undefined {
  return shortcuts.get().findLast(one => one.keys === keys && one.run !== undefined)
}

/** The key as shortcuts name it; undefined if no shortcut can have it. */
function keyOf(event: KeyboardEvent): string | undefined {
  const { key, code, altKey, shiftKey, repeat, isComposing } = event
  // Browsers that fill in a form send an event without a key.
  if (key?.length !== 1 || altKey || repeat || isComposing) return undefined
  // Keyboards for other scripts have the Latin letters in the same positions.
  const letter = /^[a-z]$/i.test(key) ? key : key > '\x7f' ? /^Key([A-Z])$/.exec(code)?.[1] : undefined
  if (letter === undefined) return isCommand(event) ? undefined : key
  if (shiftKey) return undefined
  return (isCommand(event) ? 'mod+' : '') + letter.toLowerCase()
}

function isCommand({ ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null
}

/** A recently visited screen, to return to. */
export interface Visit {
  to: string
  search: Readonly<Record<string, string>>
  name: string
}

const KEY = 'petstore-recent'
const MAX_VISITS = 6
const TITLE_END = ' · Petstore'

/** Newest first. They last as long as the tab. */
export function readVisits(): readonly Visit[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
  } catch {
    return []
  }
}

export function addVisit(visit: Visit): void {
  const others = readVisits().filter(({ to, name }) => to !== visit.to || name !== visit.name)
  try {
    sessionStorage.setItem(KEY, JSON.stringify([visit, ...others].slice(0, MAX_VISITS)))
  } catch {}
}

/** Remembers each screen, with its filters, when the operator leaves it. */
export function useVisits(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged || !document.title.endsWith(TITLE_END)) return
        const { pathname, search } = fromLocation
        addVisit({ to: pathname, search: { ...search }, name: document.title.slice(0, -TITLE_END.length) })
      }),
    [router],
  )
}
