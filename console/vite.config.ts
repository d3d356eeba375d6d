import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin, type Rolldown } from 'vite'

/** One file with everything that it imports: that compresses better than many files. */
const inOneFile = (name: string, module: RegExp, priority: number) => ({ name, test: module, priority })

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses: a proxy may serve the console under a path prefix.
  base: './',
  plugins: [react(), preloadApp()],
  build: {
    target: 'es2023',
    // build.ts writes the files.
    write: false,
    // No file is inlined, because the Content-Security-Policy would refuse it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            inOneFile('main', /\/src\/main\.ts$/, 4),
            inOneFile('app', /\/src\/app\.tsx$/, 3),
            inOneFile('style', /\.css$/, 2),
            inOneFile('console', /\/src\/routes\.tsx$/, 1),
            // The code that most screens share.
            inOneFile(
              'parts',
              /\/src\/(parts\/(Screen|ExportButton|times|ListError|ClearButton|statuses)|ui\/states|lib\/(numbers|search|use-media|use-width)|data\/(rows|categories|query|overview))\.tsx?$/,
              0,
            ),
            inOneFile('dialog', /\/src\/ui\/(ConfirmDialog|Choices)\.tsx$/, 0),
            inOneFile('filters', /\/src\/parts\/(Filters|ExpiryField)\.tsx$/, 0),
            inOneFile('table', /\/src\/parts\/DataTable\.tsx$/, 0),
            inOneFile('animals', /\/src\/screens\/animals\/AnimalsScreen\.tsx$/, 0),
          ],
        },
      },
    },
    reportCompressedSize: false,
    // test/console/first-load.servers.test.ts has its own limit.
    chunkSizeWarningLimit: 5_000,
  },
})

/** Every visit needs the first imports of `main.ts`, so the page preloads them. */
function preloadApp(): Plugin {
  return {
    name: 'preload-app',
    transformIndexHtml: { order: 'post', handler: (html, { bundle = {} }) => tagsOf(html, bundle) },
  }
}

function tagsOf(html: string, bundle: Rolldown.OutputBundle): HtmlTagDescriptor[] {
  const app = Object.values(bundle).find(file => file.type === 'chunk' && file.name === 'app') as Rolldown.OutputChunk
  const scripts = [app.fileName, ...app.imports].filter(name => !html.includes(name))
  const styles = [...(app.viteMetadata?.importedCss ?? [])]
  return [...scripts.map(name => linkTo(name, 'modulepreload')), ...styles.map(name => linkTo(name, 'stylesheet'))]
}

function linkTo(fileName: string, rel: string): HtmlTagDescriptor {
  return { tag: 'link', injectTo: 'head', attrs: { rel, crossorigin: true, href: `./${fileName}` } }
}
