import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses: a proxy may serve the console under a path prefix.
  base: './',
  plugins: [react()],
  build: {
    target: 'es2023',
    // build.ts writes the files.
    write: false,
    // Every file is a file: an inlined one would be refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What the page itself loads is one file, which compresses better than many.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    reportCompressedSize: false,
    // test/console/first-load.servers.test.ts has a limit of its own.
    chunkSizeWarningLimit: 5_000,
  },
})
