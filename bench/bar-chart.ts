/** One bar of a chart. */
export interface Bar {
  label: string
  value: number
  /** The text after the bar. */
  text: string
  group: 'service' | 'peer' | 'floor'
}

const WIDTH = 760
const MIN_LABEL_WIDTH = 210
/** The average width of a character in the widest common system font, in pixels. */
const CHARACTER_WIDTH = 8
const TEXT_WIDTH = 110
const ROW = 26
const TOP = 44

/** An SVG chart with a horizontal bar for each value. It follows the reader's light or dark colour scheme. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const longest = Math.max(...bars.map(({ value }) => value))
  const labelWidth = Math.max(
    MIN_LABEL_WIDTH,
    10 + CHARACTER_WIDTH * Math.max(...bars.map(({ label }) => label.length)),
  )
  const rows = bars.map(({ label, value, text, group }, index) => {
    const y = TOP + index * ROW
    const width = Math.max(2, ((WIDTH - labelWidth - TEXT_WIDTH) * value) / longest)
    return [
      `<text x="${labelWidth - 10}" y="${y + 15}" text-anchor="end">${escapeText(label)}</text>`,
      `<rect class="${group}" x="${labelWidth}" y="${y + 2}" width="${width.toFixed(1)}" height="${ROW - 8}" rx="3"/>`,
      `<text class="value" x="${(labelWidth + width + 8).toFixed(1)}" y="${y + 15}">${escapeText(text)}</text>`,
    ].join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${TOP + bars.length * ROW + 8}" role="img">
<title>${escapeText(title)}</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #3d4148 }
.title { font-weight: 600; font-size: 15px }
.value { font-variant-numeric: tabular-nums }
.service { fill: #0f766e } .peer { fill: #94a3b8 } .floor { fill: #d8dee6 }
@media (prefers-color-scheme: dark) {
  text { fill: #d6d9de } .service { fill: #2dd4bf } .peer { fill: #64748b } .floor { fill: #3b4453 }
}
</style>
<text class="title" x="0" y="20">${escapeText(title)}</text>
${rows.join('\n')}
</svg>
`
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
