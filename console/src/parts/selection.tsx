import { useState } from 'react'

export type Selection = ReturnType<typeof useSelection>

/**
 * @param keys of all rows, in order
 * @param listKey identifies the list: another one starts with nothing selected
 */
export function useSelection(keys: readonly string[], listKey: string | undefined) {
  const [state, setState] = useState<State>({ listKey, ...NOTHING })
  const { selected, anchor, isWhole } = state.listKey === listKey ? state : NOTHING
  const isAll = keys.length > 0 && (isWhole || keys.every(key => selected.has(key)))
  const choose = (chosen: Partial<typeof NOTHING>) => setState({ listKey, ...NOTHING, ...chosen })
  return {
    keys: selected,
    size: isWhole ? keys.length : selected.size,
    /** Whether everything that matches the filters is selected, loaded or not. */
    isWhole,
    /** Whether all rows that are loaded are selected. */
    isAll,
    has: (key: string) => isWhole || selected.has(key),
    /** Selects or deselects a row; with `isRange`, also all rows between it and the last one that was toggled. */
    toggle(index: number, isRange: boolean) {
      const next = new Set(isWhole ? keys : selected)
      const key = keys[index] as string
      const isSelected = !next.has(key)
      const from = isRange && anchor !== undefined ? keys.indexOf(anchor) : index
      for (const one of between(keys, from < 0 ? index : from, index)) isSelected ? next.add(one) : next.delete(one)
      choose({ selected: next, anchor: key })
    },
    /** Selects from the start of the range (`from` if there is none) to `to`, and deselects the rows after that. */
    extend(from: number, to: number) {
      const begin = anchor !== undefined && selected.has(anchor) ? keys.indexOf(anchor) : from
      const next = new Set(isWhole ? keys : selected)
      for (const one of between(keys, begin, from)) next.delete(one)
      for (const one of between(keys, begin, to)) next.add(one)
      choose({ selected: next, anchor: keys[begin] })
    },
    /** Deselects a row that is gone. */
    drop: (key: string) => choose({ selected: selected.difference(new Set([key])), anchor, isWhole }),
    toggleAll: () => choose({ selected: new Set(isAll ? [] : keys) }),
    selectWhole: () => choose({ selected: new Set(keys), isWhole: true }),
    clear: () => choose({}),
  }
}

function between(keys: readonly string[], one: number, other: number): readonly string[] {
  return keys.slice(Math.min(one, other), Math.max(one, other) + 1)
}

interface State {
  listKey: string | undefined
  selected: ReadonlySet<string>
  /** The start of a range. */
  anchor: string | undefined
  isWhole: boolean
}

const NOTHING: Omit<State, 'listKey'> = { selected: new Set(), anchor: undefined, isWhole: false }

export function SelectAll({ selection }: { selection: Selection }) {
  const { size, isAll, toggleAll } = selection
  return (
    <th scope="col" className="select-cell">
      <label>
        <input
          type="checkbox"
          aria-label="Select all rows"
          checked={isAll}
          ref={element => {
            if (element) element.indeterminate = size > 0 && !isAll
          }}
          onChange={toggleAll}
        />
        <span className="select-all">Select all</span>
      </label>
    </th>
  )
}

interface SelectRowProps {
  selection: Selection
  rowKey: string
  index: number
  name: string
}

export function SelectRow({ selection, rowKey, index, name }: SelectRowProps) {
  return (
    <td className="select-cell">
      <label>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${name}`}
          checked={selection.has(rowKey)}
          onChange={({ nativeEvent }) => selection.toggle(index, (nativeEvent as globalThis.MouseEvent).shiftKey)}
        />
      </label>
    </td>
  )
}
