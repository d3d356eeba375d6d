import './icon.css'

/** Line icons on a grid of 20, drawn with a stroke of 1.6. */
const PATHS = {
  overview: 'M3 3h6v7H3zM11 3h6v4h-6zM11 9h6v8h-6zM3 12h6v5H3z',
  animals:
    'M10 10.5c-2.6 0-4.8 2.3-4.8 4.4 0 1.3.9 2.1 2.1 2.1.9 0 1.7-.5 2.7-.5s1.8.5 2.7.5c1.2 0 2.1-.8 2.1-2.1 0-2.1-2.2-4.4-4.8-4.4zM4.2 7.6v1.2M7.6 4v1.4M12.4 4v1.4M15.8 7.6v1.2',
  sources: 'M4 10a6 6 0 0 1 10.2-4.3L16 7.5M16 4v3.5h-3.5M16 10a6 6 0 0 1-10.2 4.3L4 12.5M4 16v-3.5h3.5',
  import: 'M10 3v9m0 0-3.5-3.5M10 12l3.5-3.5M3.5 13v3a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-3',
  export: 'M10 12V3m0 0L6.5 6.5M10 3l3.5 3.5M3.5 13v3a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-3',
  accounts: 'M3 17V8l7-5 7 5v9M8 17v-5h4v5',
  keys: 'M12.5 3.5a4 4 0 1 1-3.2 6.4L3.5 15.7V17h2.6v-1.8h1.8v-1.8l2-2',
  bans: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM5.2 5.2l9.6 9.6',
  usage: 'M3 17h14M5 14v-4M9 14V5M13 14V8M17 14v-2',
  audit: 'M5 3h7l3 3v11H5zM8 9h4M8 12h4',
  health: 'M3 10h3l2-5 4 10 2-5h3',
  tokens: 'M10 3l6 2.5v4c0 3.7-2.4 6.2-6 7.5-3.6-1.3-6-3.8-6-7.5v-4z',
  settings: 'M4 6h12M4 14h12M8 4v4M13 12v4',
  search: 'M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM13 13l4 4',
  filter: 'M3 5.5h14M6 10h8M8.5 14.5h3',
  menu: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h13',
  close: 'M5 5l10 10M15 5 5 15',
  check: 'M4 10.5l4 4 8-9',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  chevron: 'M7 4l6 6-6 6',
  plus: 'M10 4v12M4 10h12',
  trash: 'M4 6h12M8 6V4h4v2M6 6l.7 11h6.6L14 6',
  history: 'M4 10a6 6 0 1 0 2-4.5M4 4v3h3M10 7v3.5l2.5 1.5',
  edit: 'M4 16l1-4 8.5-8.5 3 3L8 15z',
  tag: 'M3 4v6l7.5 7 6.5-6.5L10 3.5H4zM7 7.5v.01',
  help: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM7.9 7.9a2.1 2.1 0 1 1 3.2 1.8c-.7.4-1.1.8-1.1 1.6M10 13.9v.01',
  warning: 'M10 3.5 17.5 16.5h-15zM10 8.5v4M10 14.5v.01',
} as const

export type IconName = keyof typeof PATHS

/** Hidden from screen readers: the text is next to it, or is the label of its button. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
