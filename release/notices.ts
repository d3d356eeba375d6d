import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, read } from './repository.ts'

const LICENCE_FILES = /^(licen[cs]e|copying|notice)/i

/** The licences of the packages, which must accompany every copy. */
export function thirdPartyNotices(folders: readonly string[]): string {
  const sections = folders.map(folder => {
    const { name, version, license, author } = JSON.parse(read(`${folder}/package.json`))
    const texts = readdirSync(join(ROOT, folder))
      .filter(file => LICENCE_FILES.test(file))
      .toSorted()
      .map(file => read(`${folder}/${file}`).replaceAll('\r\n', '\n').trim())
    if (texts.length === 0 && license !== 'MIT') throw new Error(`${name} has no licence file.`)
    const own = texts.length > 0 ? texts : [MIT.replace('AUTHOR', author?.name ?? author ?? `the authors of ${name}`)]
    return [`${LINE}\n${name} ${version} (${license})\n${LINE}`, ...own].join('\n\n')
  })
  return `${INTRODUCTION}\n\n${sections.join('\n\n')}\n`
}

const INTRODUCTION = `Petstore contains the packages below. Node has its own licence file, runtime/LICENSE.`
const LINE = '-'.repeat(80)

/** For packages with this licence but without a licence file. */
const MIT = `Copyright (c) AUTHOR

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
