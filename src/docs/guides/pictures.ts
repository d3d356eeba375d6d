import { fileRoute } from '../file-route.ts'
import type { Pictures } from '../markdown/markdown.ts'
import { rootFrom } from '../pages.ts'
import { GUIDE_LIST } from './guide-paths.ts'
import { OPERATOR_PICTURES } from './guides.ts'

const FILES = OPERATOR_PICTURES.map(name => ({
  name: `${name}.webp`,
  light: pictureRoute(name),
  dark: pictureRoute(`${name}-dark`),
}))

/** The routes of the picture files. */
export const PICTURES = FILES.flatMap(({ light, dark }) => [light, dark])

/** The pictures by the file names in the Markdown, with their addresses relative to the page of a guide. */
export async function loadPictures(): Promise<Pictures> {
  const root = rootFrom(`${GUIDE_LIST}/name`)
  const entries = FILES.map(async ({ name, light, dark }) => {
    const [onLight, onDark] = await Promise.all([light.loadAddress(), dark.loadAddress()])
    return [name, { light: root + onLight, dark: root + onDark }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

function pictureRoute(name: string) {
  return fileRoute(`${name}.webp`, new URL(`../../../docs/guides/operators/${name}.webp`, import.meta.url))
}
