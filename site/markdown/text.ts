import type { Token, Tokens } from 'marked'

/** The text of a block without markup and without code blocks, which repeat the same in each language. */
export function textOf(token: Token): string {
  switch (token.type) {
    case 'code':
    case 'space':
      return ''
    case 'br':
      return ' '
    case 'codespan':
      return token.text
    case 'list':
      return (token as Tokens.List).items.map(textOf).join(' ')
    case 'table':
      return tableText(token as Tokens.Table)
  }
  if (!('tokens' in token) || !token.tokens) return 'text' in token ? token.text.replaceAll('\n', ' ') : ''
  return token.tokens.map(textOf).join(token.type === 'list_item' || token.type === 'blockquote' ? ' ' : '')
}

function tableText({ header, rows }: Tokens.Table): string {
  return [header, ...rows].flat().map(cellText).join(' ')
}

export function cellText({ tokens }: Tokens.TableCell): string {
  return tokens.map(textOf).join('')
}
