/** Makes the ids of a page's headings. They are the same as on GitHub, so that links work in both places. */
export class Anchors {
  readonly #taken = new Set<string>()

  make(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let repeated = 1; this.#taken.has(anchor); repeated++) anchor = `${slug}-${repeated}`
    this.#taken.add(anchor)
    return anchor
  }
}
