import { isoTime, optionalIsoTime } from '../../domain/time.ts'
import {
  DoctorJson,
  HealthJson,
  type HealthPart,
  RunningVersionJson,
  SettingJson,
  versionsJson,
} from '../../schema/responses/service.ts'
import { Type } from '../../schema/type.ts'
import { missingToken } from '../authenticate.ts'
import { Streamed } from '../handler.ts'
import { staff } from '../operation.ts'

const listenToChanges = staff('GET', '/events', {
  summary: 'Listen to changes',
  description:
    'Sends a server-sent event within a second of any change. Each event has the versions of the animals, of the accounts (with their keys, claim links and bans) and of the audit log, which changes with every action of an operator. Equal versions mean that nothing has changed. The stream ends when the session or the token is no longer valid, and when the service stops; browsers then reconnect.',
  download: ['text/event-stream'],
  examples: {
    beginning: {
      response:
        'retry: 5000\nevent: versions\ndata: {"animals":"1000.7","accounts":"42","audit":"310.100"}\n\nevent: versions\ndata: {"animals":"1001.7","accounts":"42","audit":"311.100"}\n\n',
    },
  },
  async handle({ context, credentials, events }) {
    const { permit } = context.actor
    if (!permit) throw missingToken()
    return new Streamed('text/event-stream', await events.open({ permit, expiresAt: credentials?.expiresAt }))
  },
})

const READY: HealthPart = { part: 'store', state: 'ok', message: 'The store can be written.', since: null }
const ALONE: HealthPart = {
  part: 'counting',
  state: 'degraded',
  message:
    'Redis at redis.example.com:6379 cannot be used: connection refused. Without Redis, this instance counts its own share of the calls.',
  since: '2026-03-02T11:00:00.000Z',
}

const readVersion = staff('GET', '/version', {
  summary: 'Get the versions',
  description: 'Returns the versions of the running program, its deployment, and when it started.',
  response: RunningVersionJson,
  examples: {
    production: {
      response: {
        version: '1.2.0',
        commit: '5f0c9d1e7a3b42c68d90e1f2a3b4c5d6e7f80912',
        builtAt: '2026-03-01T09:00:00.000Z',
        api: '1.0.0',
        node: '26.10.0',
        platform: 'linux-x64',
        deployment: 'production',
        publicUrl: 'https://api.example.com/v1',
        startedAt: '2026-03-02T10:00:00.000Z',
      },
    },
  },
  async handle({ service, context: { deployment } }) {
    return {
      ...versionsJson(await service.build),
      deployment,
      publicUrl: service.publicUrl() ?? null,
      startedAt: isoTime(service.startedAt),
    }
  },
})

const readHealth = staff('GET', '/health', {
  summary: 'Get the health',
  description:
    'Returns the health of each part of this instance, for people. Load balancers use `/readyz`, which is on the same port.',
  response: HealthJson,
  examples: { degraded: { response: { state: 'degraded', instances: 3, parts: [READY, ALONE] } } },
  async handle({ service }) {
    const parts = (await service.checkHealth()).map(({ check, outcome, message, since }) => {
      return { part: check, state: STATES[outcome], message, since: optionalIsoTime(since) ?? null }
    })
    const state = Object.values(STATES).findLast(worst => parts.some(part => part.state === worst)) ?? 'ok'
    return { state, instances: service.instances(), parts }
  },
})

/** The worst comes last. */
const STATES = { ok: 'ok', warn: 'degraded', fail: 'failing' } as const

const listSettings = staff('GET', '/settings', {
  summary: 'List the settings',
  description:
    'Returns every setting of this instance, without user names and passwords. Settings are environment variables; changing one requires a restart.',
  response: Type.Array(SettingJson),
  examples: {
    two: {
      response: [
        {
          name: 'PETSTORE_PORT',
          topic: 'Addresses',
          value: '9000',
          default: '8080',
          source: 'environment',
          meaning: 'Port of the public listener; 0 for any free port.',
        },
        {
          name: 'PETSTORE_DATABASE_URL',
          topic: 'Data',
          value: null,
          default: null,
          source: 'default',
          meaning: 'PostgreSQL database for the store.',
        },
      ],
    },
  },
  handle: async ({ service }) => service.settings(),
})

const runDoctor = staff('GET', '/doctor', {
  summary: 'Check the service for problems',
  description:
    'Checks the settings, the store, its servers or disk, and the clocks, as `petstore doctor` does, and says how to fix each problem. It reads the whole embedded store, in a separate process, which can take a while.',
  response: DoctorJson,
  examples: {
    warning: {
      response: {
        ok: true,
        findings: [
          {
            check: 'settings',
            outcome: 'ok',
            message: 'All settings are valid. They were read from the environment alone.',
          },
          {
            check: 'disk',
            outcome: 'warn',
            message: 'The store takes 1.2 GiB, its log 4 MiB; only 900 MiB of 40 GiB are free: free up space soon.',
          },
        ],
      },
    },
  },
  async handle({ service }) {
    const findings = await service.examine()
    return { ok: findings.every(({ outcome }) => outcome !== 'fail'), findings }
  },
})

export const SERVICE = { listenToChanges, readVersion, readHealth, listSettings, runDoctor }
