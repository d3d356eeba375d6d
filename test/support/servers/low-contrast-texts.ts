/**
 * For a page to evaluate: its texts whose contrast with what is behind them is less than 4.5, as WCAG 2.2 computes it (success
 * criterion 1.4.3), with their colours.
 */
export const FAINT_TEXTS = `(() => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number)
  const luminance = colour => {
    const [red, green, blue] = channels(colour).map(value => {
      const share = value / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor
      if (channels(colour)[3] !== 0) return colour
    }
    return 'rgb(255, 255, 255)'
  }
  const faint = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    if (text.data.trim() === '') continue
    const style = getComputedStyle(text.parentElement)
    const background = behind(text.parentElement)
    const [dark, light] = [luminance(style.color), luminance(background)].sort((a, b) => a - b)
    const ratio = (light + 0.05) / (dark + 0.05)
    if (ratio < 4.5) faint.add(style.color + ' on ' + background + ' (' + ratio.toFixed(2) + '): ' + text.data.trim().slice(0, 30))
  }
  return [...faint]
})()`
