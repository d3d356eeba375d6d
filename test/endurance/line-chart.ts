/** One measurement. */
export interface Point {
  x: number
  y: number
}

const WIDTH = 760
const HEIGHT = 240
const LEFT = 60
const RIGHT = 20
const TOP = 40
const BOTTOM = 34
const LINES = 4

/** An SVG chart with one line, which follows the reader's light or dark colour scheme. The scale starts at 0, to not exaggerate growth. */
export function lineChart(title: string, xUnit: string, points: readonly Point[]): string {
  const maxX = Math.max(1, ...points.map(({ x }) => x))
  const maxY = roundUp(Math.max(1, ...points.map(({ y }) => y)))
  const left = (x: number) => LEFT + ((WIDTH - LEFT - RIGHT) * x) / maxX
  const top = (y: number) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * y) / maxY
  const grid = Array.from({ length: LINES + 1 }, (_, index) => {
    const y = (maxY * index) / LINES
    const at = top(y).toFixed(1)
    return `<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${Number(at) + 4}" text-anchor="end">${y.toLocaleString('en')}</text>`
  })
  const path = points.map(({ x, y }) => `${left(x).toFixed(1)} ${top(y).toFixed(1)}`).join('L')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
<title>${escapeText(title)}</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #3d4148; font-variant-numeric: tabular-nums }
.title { font-weight: 600; font-size: 15px }
.grid { stroke: #d8dee6 } .line { fill: none; stroke: #0f766e; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #d6d9de } .grid { stroke: #3b4453 } .line { stroke: #2dd4bf }
}
</style>
<text class="title" x="0" y="20">${escapeText(title)}</text>
${grid.join('\n')}
<text x="${LEFT}" y="${HEIGHT - 10}">0</text>
<text x="${WIDTH - RIGHT}" y="${HEIGHT - 10}" text-anchor="end">${escapeText(`${Math.round(maxX)} ${xUnit}`)}</text>
<path class="line" d="M${path}"/>
</svg>
`
}

/** Rounds up to a number that four grid lines divide well. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 4, 6, 8, 10].find(one => one * power >= value) ?? 10
  return step * power
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
