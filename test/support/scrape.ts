/** One series and its value, as Prometheus reads them. */
export interface Series {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

/** Reads Prometheus' text format strictly: any line that is neither a comment nor a series is an error, and so is a duplicate series. */
export function parseScrape(text: string): Series[] {
  const seen = new Set<string>()
  return text
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('# '))
    .map(line => {
      const [, series = '', name = '', labels = '', value] = /^((\w+)(?:\{(.*)\})?) (\S+)$/.exec(line) ?? []
      if (name === '' || seen.has(series) || Number.isNaN(Number(value))) throw new Error(`no series: ${line}`)
      seen.add(series)
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)",?/g)].map(([, label, of]) => [label, of])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })
}

/** The sum of all series with this name and these labels; undefined if there is none. */
export function sumOf(
  scrape: readonly Series[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const found = scrape.filter(
    series => series.name === name && Object.entries(labels).every(([label, value]) => series.labels[label] === value),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
