import { test } from 'node:test'
import { testStrangers } from './strangers.ts'

test('strangers, embedded', t => testStrangers(t, 'embedded'))
