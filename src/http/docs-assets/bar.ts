/** Where a link of the bar leads: its address, from the root of the service, and its words. */
export type BarLink = readonly [path: string, label: string]

interface Bar {
  /** The way from the page to the service's root, such as `../`. */
  root: string
  /** The address of the sign before the name. */
  icon: string
  links: readonly BarLink[]
  /** The path among them that the page belongs to. */
  current: string
  /** HTML of what else stands in the bar, at its end. */
  tools?: string | undefined
}

/** The bar at the top of every page of the documentation. */
export function renderBar({ root, icon, links, current, tools = '' }: Bar): string {
  const items = links.map(([path, label]) => {
    const mark = path === current ? ' aria-current="page"' : ''
    return `<li><a href="${root}${path}"${mark}>${label}</a></li>`
  })
  return `<header class="bar">
  <a class="bar-name" href="${root}${links[0]?.[0]}"><img src="${icon}" alt="" width="24" height="24"><span>Petstore</span></a>
  <nav aria-label="Documentation"><ul>${items.join('')}</ul></nav>
  ${tools}
</header>`
}
