/** The ids of one page's headings, made as GitHub makes them, so that a link works there and here. */
export class Anchors {
  readonly #taken = new Set<string>()

  make(heading: string): string {
    const wished = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = wished
    for (let repeated = 1; this.#taken.has(anchor); repeated++) anchor = `${wished}-${repeated}`
    this.#taken.add(anchor)
    return anchor
  }
}
