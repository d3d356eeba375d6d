// The package's own declarations need the DOM types, which must not be available in the service.

declare module 'highlight.js/lib/core' {
  interface Highlighter {
    registerLanguage(name: string, language: import('highlight.js/lib/languages/*').Language): void
    getLanguage(name: string): object | undefined
    highlight(code: string, options: { language: string }): { value: string }
  }
  const highlighter: Highlighter
  export default highlighter
}

declare module 'highlight.js/lib/languages/*' {
  export type Language = (highlighter: object) => object
  const language: Language
  export default language
}
