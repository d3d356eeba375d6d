export { build, type Plugin } from 'esbuild'
