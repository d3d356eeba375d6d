import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NewAuditEntry } from './audit.ts'
import type { BadLine } from './bad-lines.ts'
import { ActionRefused } from './permit.ts'
import type { NewPet, PetStatus } from './pet.ts'
import type { SyncTerms } from './pet-files.ts'
import type { OpenedTransfer } from './pet-transfer.contract.ts'
import type { CommitOptions, Outcome, SyncLine } from './pet-transfer.ts'
import { DEFAULT_SOURCE, MAX_RUNS_KEPT, RUNS_LEARNED_FROM, type SourceChange } from './source.ts'
import type { Store } from './store.ts'
import { createToken } from './store-contract/fixtures.contract.ts'

const NOW = Date.UTC(2027, 2, 1, 12)
const ENTRY: NewAuditEntry = {
  at: NOW,
  actor: 'anna',
  origin: 'command line',
  action: 'pet.sync',
  details: { file: 'feed.csv' },
}
const UNDO: NewAuditEntry = { ...ENTRY, action: 'pet.undo', details: {} }
const STRICT = { skipRefused: false }
const TERMS: SyncTerms = { source: 'riverside', mayCreate: true, maxRemovals: '100%' }
/** What most rules begin with: Rex gets the id 1, and Tom 2. */
const BOTH: readonly Given[] = [
  ['a', 'Rex'],
  ['b', 'Tom'],
]
const ALL = { status: undefined, afterId: 0n, limit: 1_000 }

type Given = readonly [externalId: string, name: string, status?: PetStatus]

interface Syncing extends Partial<SyncTerms> {
  bad?: readonly BadLine[]
  at?: number
  options?: CommitOptions
}

/** The contract of the syncs of every PetTransfer. */
export function petSyncContract(name: string, open: () => Promise<OpenedTransfer>): void {
  const rule = (sentence: string, check: (opened: OpenedTransfer) => Promise<void>) =>
    test(`${name}: ${sentence}`, async (t: TestContext) => {
      const opened = await open()
      t.after(opened.close)
      await check(opened)
    })

  rule('a sync adds new ids, corrects others, and marks missing ones as sold, with one entry', async opened => {
    const first = await sync(opened, [
      ['a', 'Rex'],
      ['b', 'Tom'],
      ['c', 'Kira', 'pending'],
    ])
    assert.deepEqual(numbersOf(first), { added: 3, corrected: 0, returned: 0, removed: 0, unchanged: 0 })
    assert.deepEqual([first.firstId, first.lastId], [1n, 3n])
    const second = await sync(opened, [
      ['d', 'Luna'],
      ['c', 'Kira', 'pending'],
      ['a', 'Rex', 'sold'],
    ])
    assert.deepEqual(numbersOf(second), { added: 1, corrected: 1, returned: 0, removed: 1, unchanged: 1 })
    assert.deepEqual(await petsOf(opened.store), ['1 Rex sold', '2 Tom sold', '3 Kira pending', '4 Luna available'])
    const audit = await opened.store.listAudit({ action: 'pet.sync', limit: 10 })
    assert.deepEqual(
      audit.map(({ id, details }) => [id, details.source, details.added, details.corrected, details.removed]),
      [
        [second.entryId, 'riverside', 1, 1, 1],
        [first.entryId, 'riverside', 3, 0, 0],
      ],
    )
    const [event] = await opened.store.listPetHistory({ petId: 2n, limit: 1 })
    assert.deepEqual([event?.action, event?.before?.status, event?.after?.status], ['pet.sync', 'available', 'sold'])
  })

  rule('animals that are as in the file are not written, and have no entry', async opened => {
    await sync(opened, [
      ['a', 'Rex'],
      ['b', 'Tom', 'sold'],
    ])
    const before = await opened.store.readVersions()
    const again = await sync(opened, [
      ['b', 'Tom', 'sold'],
      ['a', 'Rex'],
    ])
    assert.deepEqual(numbersOf(again), { added: 0, corrected: 0, returned: 0, removed: 0, unchanged: 2 })
    assert.equal(again.entryId, undefined)
    assert.deepEqual(await opened.store.readVersions(), before)
    assert.equal((await runsOf(opened.store)).length, 2, 'the run is noted')
  })

  rule('an animal that comes back is available again, under its own id', async opened => {
    for (const missing of ['sold', 'delete'] as const) {
      const source = missing
      await sync(opened, BOTH, { source, missing })
      await sync(opened, [['a', 'Rex']], { source, missing })
      const back = await sync(
        opened,
        [
          ['a', 'Rex'],
          ['b', 'Tommy'],
        ],
        { source, missing },
      )
      assert.deepEqual(numbersOf(back), { added: 0, corrected: 0, returned: 1, removed: 0, unchanged: 1 }, missing)
    }
    assert.deepEqual(await petsOf(opened.store), [
      '1 Rex available',
      '2 Tommy available',
      '3 Rex available',
      '4 Tommy available',
    ])
    const again = await sync(
      opened,
      [
        ['a', 'Rex'],
        ['b', 'Tommy'],
      ],
      { source: 'sold' },
    )
    assert.equal(again.unchanged, 2)
  })

  rule('a line without a status leaves the status of an animal', async opened => {
    await sync(opened, [['a', 'Rex', 'pending']])
    const named = await sync(opened, [['a', 'Max']])
    assert.equal(named.updated, 1)
    assert.deepEqual(await petsOf(opened.store), ['1 Max pending'])
  })

  rule('missing animals stay if told so, and deleted ones are gone', async opened => {
    await sync(opened, BOTH)
    assert.equal((await sync(opened, [['a', 'Rex']], { missing: 'keep' })).removed, 0)
    assert.deepEqual(await petsOf(opened.store), ['1 Rex available', '2 Tom available'])
    assert.equal((await sync(opened, [['a', 'Rex']], { missing: 'delete' })).removed, 1)
    assert.deepEqual(await petsOf(opened.store), ['1 Rex available'])
  })

  rule('a sync touches only the animals of its own source; ids are unique within a source', async opened => {
    await opened.store.addPet(pet('Mine'), { ...ENTRY, action: 'pet.create' })
    await sync(opened, [['a', 'Rex']])
    await sync(opened, [['a', 'Other']], { source: 'hill' })
    await sync(opened, [], { source: 'Hill' })
    assert.deepEqual(await petsOf(opened.store), ['1 Mine available', '2 Rex available', '3 Other sold'])
    assert.deepEqual(await opened.store.findOrigins([1n, 2n, 3n]), [
      { petId: 2n, source: 'riverside', externalId: 'a' },
      { petId: 3n, source: 'hill', externalId: 'a' },
    ])
    assert.equal((await opened.store.findByExternalId('a')).length, 2)
  })

  rule('a file that would remove too many animals is refused as a whole, and the run says so', async opened => {
    await sync(
      opened,
      [
        ['a', 'Rex'],
        ['b', 'Tom'],
        ['c', 'Kira'],
      ],
      { maxRemovals: '10%' },
    )
    for (const lines of [
      [
        ['a', 'New name'],
        ['d', 'Luna'],
        ['b', 'Tom'],
      ],
      [],
    ] satisfies Given[][]) {
      const refused = await sync(opened, lines, { maxRemovals: undefined })
      assert.match(
        refused.refusal ?? '',
        /^The file would mark as sold [13] of 3 animals.*at most 0 are allowed\. .*allow [13]\.$/,
      )
    }
    assert.deepEqual(await petsOf(opened.store), ['1 Rex available', '2 Tom available', '3 Kira available'])
    const [last] = await runsOf(opened.store)
    assert.match(last?.refusal ?? '', /3 of 3/)
    assert.equal((await sync(opened, [['a', 'Rex']], { maxRemovals: '2' })).removed, 2)
    const [source] = await opened.store.listSources({})
    assert.deepEqual(
      [source?.maxRemovals, source?.syncedAt.length],
      ['10%', 2],
      'refused files do not count as files that came',
    )
  })

  rule('of lines with the same id, all are bad, and their animal stays as it is', async opened => {
    await sync(opened, BOTH)
    const lines: Given[] = [
      ['a', 'One'],
      ['b', 'Tommy'],
      ['a', 'Two'],
    ]
    const refused = await sync(opened, lines)
    assert.deepEqual(refused.refusedLines, [
      { line: 2, reason: 'id "a" is also in line 4; each animal needs its own id.' },
      { line: 4, reason: 'id "a" is also in line 2; each animal needs its own id.' },
    ])
    assert.deepEqual([refused.refused, refused.updated], [2, 0])
    const skipped = await sync(opened, lines, { options: { skipRefused: true } })
    assert.deepEqual(numbersOf(skipped), { added: 0, corrected: 1, returned: 0, removed: 0, unchanged: 0 })
    assert.deepEqual(await petsOf(opened.store), ['1 Rex available', '2 Tommy available'])
  })

  rule('the animal of a bad line is not missing; if its id is not known, none is', async opened => {
    await sync(opened, [
      ['a', 'Rex'],
      ['b', 'Tom'],
      ['c', 'Kira'],
    ])
    const named = { line: 9, reason: 'bad', externalId: 'b' }
    assert.equal((await sync(opened, [['a', 'Rex']], { bad: [named, { line: 10, reason: 'unreadable' }] })).removed, 0)
    assert.equal((await sync(opened, [['a', 'Rex']], { bad: [named] })).removed, 1)
    assert.deepEqual(await petsOf(opened.store), ['1 Rex available', '2 Tom available', '3 Kira sold'])
  })

  rule(
    'a preview shows what a sync would do, and changes nothing, not even the source',
    async ({ store, transfer }) => {
      const run = await transfer.beginSync(TERMS)
      await run.stage([line(2, ['a', 'Rex'])])
      assert.equal((await run.preview(STRICT)).imported, 1)
      await run.discard()
      assert.deepEqual([await store.listSources({}), await petsOf(store)], [[], []])
    },
  )

  rule(
    'of two syncs that were compared before either was committed, the second finds the animals of the first',
    async ({ store, transfer }) => {
      const lines = Array.from({ length: 50 }, (_, index) => line(index + 2, [`a${index}`, `Pet ${index}`]))
      const runs = await Promise.all([transfer.beginSync(TERMS), transfer.beginSync(TERMS)])
      for (const run of runs) await run.stage(lines)
      for (const run of runs) assert.equal((await run.preview(STRICT)).imported, 50)
      const added: number[] = []
      for (const run of runs) added.push((await run.commit(ENTRY, STRICT)).imported)
      assert.deepEqual(added, [50, 0])
      assert.equal((await store.listPets(ALL)).pets.length, 50)
    },
  )

  rule('a change between the comparison and the commit is seen', async opened => {
    await sync(opened, BOTH)
    const run = await opened.transfer.beginSync(TERMS)
    await run.stage([line(2, ['a', 'Rex']), line(3, ['b', 'Tom'])])
    assert.equal((await run.preview(STRICT)).unchanged, 2)
    const rex = { ...pet('Rex'), id: 1n }
    await opened.store.correctPet(rex, { ...rex, name: 'Max' }, { ...ENTRY, action: 'pet.correct' })
    assert.equal((await run.commit(ENTRY, STRICT)).updated, 1)
    assert.deepEqual(await petsOf(opened.store), ['1 Rex available', '2 Tom available'])

    const next = await opened.transfer.beginSync(TERMS)
    await next.stage([line(2, ['a', 'Rex'])])
    assert.equal((await next.preview(STRICT)).removed, 1)
    const [source] = await opened.store.listSources({})
    await opened.store.changeSource(source?.id as bigint, { missing: 'keep' }, { ...ENTRY, action: 'source.change' })
    assert.equal((await next.commit(ENTRY, STRICT)).removed, 0)
    assert.deepEqual(await petsOf(opened.store), ['1 Rex available', '2 Tom available'])
  })

  rule(
    'a sync can be undone: added animals go, others return to their former state, and the ids stay theirs',
    async opened => {
      await sync(opened, [
        ['a', 'Rex'],
        ['b', 'Tom'],
        ['c', 'Kira'],
        ['e', 'Bella'],
      ])
      const { entryId } = await sync(opened, [
        ['a', 'Max'],
        ['c', 'Kir'],
        ['d', 'Luna'],
        ['e', 'Bella'],
      ])
      const kira = { ...pet('Kir'), id: 3n }
      await opened.store.correctPet(kira, { ...kira, name: 'Meanwhile' }, { ...ENTRY, action: 'pet.correct' })
      const undone = await opened.store.undo(entryId as bigint, UNDO)
      assert.ok('undone' in undone)
      assert.deepEqual([undone.undone, undone.kept], [3, 1])
      assert.deepEqual(await petsOf(opened.store), [
        '1 Rex available',
        '2 Tom available',
        '3 Meanwhile available',
        '4 Bella available',
      ])
      const again = await sync(opened, [
        ['a', 'Max'],
        ['c', 'Kir'],
        ['d', 'Luna'],
        ['e', 'Bella'],
      ])
      assert.deepEqual(numbersOf(again), { added: 0, corrected: 2, returned: 1, removed: 1, unchanged: 1 })
      assert.deepEqual((await petsOf(opened.store)).at(-1), '5 Luna available', 'under its own id')
    },
  )

  rule('after a sync was undone, the next file has the effect that it would have had without it', async opened => {
    const { store } = opened
    const statusOfTom = async () => (await store.findPet(2n))?.status
    const undo = async ({ entryId }: { entryId?: bigint | undefined }) => {
      const undone = await store.undo(entryId as bigint, UNDO)
      assert.ok('undone' in undone)
      return undone
    }
    await sync(opened, BOTH)
    await undo(await sync(opened, [['a', 'Rex']], { at: NOW + 1 }))
    const tom = { ...pet('Tom'), id: 2n }
    await store.correctPet(tom, { ...tom, status: 'pending' }, { ...ENTRY, action: 'pet.correct' })
    await sync(opened, BOTH, { at: NOW + 2 })
    assert.equal(await statusOfTom(), 'pending', 'he was not missing')
    await undo(await sync(opened, [['a', 'Rex']], { at: NOW + 3, missing: 'delete' }))
    await sync(opened, BOTH, { at: NOW + 4 })
    assert.equal(await statusOfTom(), 'pending', 'he was not missing')
    await undo(await undo(await undo(await sync(opened, [['a', 'Rex']], { at: NOW + 4 }))))
    await sync(opened, BOTH, { at: NOW + 4 })
    assert.equal(await statusOfTom(), 'pending', 'he was not missing')

    await undo(await undo(await sync(opened, [['a', 'Rex']], { at: NOW + 5 })))
    assert.equal(await statusOfTom(), 'sold')
    const back = await sync(opened, BOTH, { at: NOW + 6 })
    assert.deepEqual([back.returned, await statusOfTom()], [1, 'available'], 'he was missing')
    await undo(back)
    assert.equal(await statusOfTom(), 'sold')
    const again = await sync(opened, BOTH, { at: NOW + 7 })
    assert.deepEqual([again.returned, await statusOfTom()], [1, 'available'], 'he was missing')
  })

  rule('an animal that a file had sold or returned with a status was not missing, whatever is undone', async opened => {
    const { store } = opened
    const undo = async ({ entryId }: { entryId?: bigint | undefined }, at: number) => {
      const undone = await store.undo(entryId as bigint, { ...UNDO, at })
      assert.ok('undone' in undone)
      return undone
    }
    await sync(opened, [['a', 'Rex']])
    const sale = await sync(opened, [['a', 'Rex', 'sold']], { at: NOW + 1 })
    await undo(await undo(sale, NOW + 2), NOW + 3)
    assert.equal((await sync(opened, [['a', 'Rex']], { at: NOW + 4 })).returned, 0)
    assert.deepEqual(await petsOf(store), ['1 Rex sold'])

    const given: Given[] = [['a', 'Rex', 'available']]
    const corrected = { added: 0, corrected: 1, returned: 0, removed: 0, unchanged: 0 }
    const returned = await sync(opened, given, { at: NOW + 5 })
    assert.deepEqual(numbersOf(returned), corrected)
    await undo(returned, NOW + 6)
    assert.deepEqual(numbersOf(await sync(opened, given, { at: NOW + 7 })), corrected)
  })

  rule(
    'an animal that has come back and was corrected since is not missing once its return is undone',
    async opened => {
      const { store } = opened
      await sync(opened, BOTH)
      await sync(opened, [['b', 'Tom']], { at: NOW + 1 })
      const { entryId } = await sync(
        opened,
        [
          ['a', 'Rex'],
          ['b', 'Tim'],
        ],
        { at: NOW + 2 },
      )
      const rex = { ...pet('Rex'), id: 1n }
      await store.correctPet(rex, { ...rex, status: 'pending' }, { ...ENTRY, action: 'pet.correct' })
      const undone = await store.undo(entryId as bigint, { ...UNDO, at: NOW + 3 })
      assert.ok('undone' in undone)
      assert.deepEqual([undone.undone, undone.kept], [1, 1])
      assert.equal((await sync(opened, BOTH, { at: NOW + 4 })).entryId, undefined)
      assert.deepEqual(await petsOf(store), ['1 Rex pending', '2 Tom available'])
    },
  )

  rule(
    'an animal that was sold because it was missing and was corrected since is still missing once that is undone',
    async opened => {
      const { store } = opened
      await sync(opened, BOTH)
      const { entryId } = await sync(opened, [['b', 'Tim']], { at: NOW + 1 })
      const rex = { ...pet('Rex'), id: 1n, status: 'sold' as const }
      await store.correctPet(rex, { ...rex, name: 'Max' }, { ...ENTRY, action: 'pet.correct' })
      const undone = await store.undo(entryId as bigint, { ...UNDO, at: NOW + 2 })
      assert.ok('undone' in undone)
      assert.deepEqual([undone.undone, undone.kept], [1, 1])
      assert.deepEqual(await petsOf(store), ['1 Max sold', '2 Tom available'])
      assert.equal((await sync(opened, BOTH, { at: NOW + 3 })).returned, 1)
      assert.deepEqual(await petsOf(store), ['1 Rex available', '2 Tom available'])
    },
  )

  rule('a sold animal that a file lacked is missing again once the undoing of that file is undone', async opened => {
    const { store } = opened
    await sync(opened, [['a', 'Rex', 'sold'], ...BOTH.slice(1)])
    const { entryId } = await sync(opened, [['b', 'Tim']], { at: NOW + 1 })
    const undone = await store.undo(entryId as bigint, { ...UNDO, at: NOW + 2 })
    assert.ok('undone' in undone)
    await store.undo(undone.entryId, { ...UNDO, at: NOW + 3 })
    assert.equal((await sync(opened, BOTH, { at: NOW + 4 })).returned, 1)
    assert.deepEqual(await petsOf(store), ['1 Rex available', '2 Tom available'])
  })

  rule(
    'an animal that was missing before a sync that is undone is still missing, and a sold one is not',
    async opened => {
      await sync(opened, [
        ['a', 'Rex', 'sold'],
        ['b', 'Tom'],
      ])
      await sync(opened, [['a', 'Rex', 'sold']], { at: NOW + 1 })
      const { entryId } = await sync(opened, [['a', 'Max', 'sold']], { at: NOW + 2 })
      await opened.store.undo(entryId as bigint, UNDO)
      assert.deepEqual(await petsOf(opened.store), ['1 Rex sold', '2 Tom sold'])
      const next = await sync(opened, BOTH)
      assert.deepEqual(numbersOf(next), { added: 0, corrected: 0, returned: 1, removed: 0, unchanged: 1 })
      assert.deepEqual(await petsOf(opened.store), ['1 Rex sold', '2 Tom available'])
    },
  )

  rule('undoing and restoring what operators did leaves open whether an animal is missing', async opened => {
    const { store } = opened
    await sync(opened, [['a', 'Rex']])
    const rex = { ...pet('Rex'), id: 1n }
    const entryId = await store.correctPet(rex, { ...rex, status: 'sold' }, { ...ENTRY, action: 'pet.correct' })
    const undone = await store.undo(entryId as bigint, UNDO)
    assert.ok('undone' in undone)
    await store.undo(undone.entryId, UNDO)
    assert.equal((await sync(opened, [['a', 'Rex']])).entryId, undefined)
    assert.deepEqual(await petsOf(store), ['1 Rex sold'])
  })

  rule(
    'an animal that an operator deleted and a file brought back was not missing, once that is undone',
    async opened => {
      const { store } = opened
      await sync(opened, [['a', 'Rex']])
      const rex = { ...pet('Rex'), id: 1n }
      await store.deletePet(rex, { ...ENTRY, action: 'pet.delete' })
      const { entryId } = await sync(opened, [['a', 'Rex']], { at: NOW + 1 })
      await store.undo(entryId as bigint, { ...UNDO, at: NOW + 2 })
      await store.bringBackPet({ ...rex, status: 'pending' }, { ...ENTRY, action: 'pet.restore' })
      await sync(opened, [['a', 'Rex']], { at: NOW + 3 })
      assert.deepEqual(await petsOf(store), ['1 Rex pending'])
    },
  )

  rule(
    'a sold animal that came back and was deleted is missing again, once a later file and its return are undone',
    async opened => {
      const { store } = opened
      const undo = (entryId: bigint | undefined, at: number) => store.undo(entryId as bigint, { ...UNDO, at })
      const rex = { ...pet('Rex'), id: 1n, status: 'sold' as const }
      const given: Given[] = [
        ['a', 'Rex', 'sold'],
        ['b', 'Tim'],
      ]
      await sync(opened, [
        ['a', 'Rex', 'sold'],
        ['b', 'Tom'],
      ])
      await sync(opened, [['b', 'Tom']], { at: NOW + 1 })
      const returned = await sync(opened, given, { at: NOW + 2 })
      await store.deletePet(rex, { ...ENTRY, action: 'pet.delete' })
      await undo((await sync(opened, given, { at: NOW + 3 })).entryId, NOW + 4)
      await undo(returned.entryId, NOW + 5)
      await store.bringBackPet(rex, { ...ENTRY, action: 'pet.restore' })
      await sync(opened, BOTH, { at: NOW + 6 })
      assert.deepEqual(await petsOf(store), ['1 Rex available', '2 Tom available'])
    },
  )

  rule(
    'animals that a sync deletes are listed as deleted, until a file has them again or it is undone',
    async opened => {
      const deleted = async () => (await opened.store.searchDeletedPets({ limit: 10 })).pets
      const all: Given[] = [
        ['a', 'Rex'],
        ['b', 'Tom', 'pending'],
      ]
      await sync(opened, all)
      const { entryId } = await sync(opened, [['a', 'Rex']], { missing: 'delete' })
      const tom = { ...pet('Tom'), id: 2n, status: 'pending' }
      assert.deepEqual(await deleted(), [{ ...tom, entryId, deletedAt: NOW, deletedBy: ENTRY.actor }])
      const back = await sync(opened, all)
      assert.deepEqual(await deleted(), [])
      await opened.store.undo(back.entryId as bigint, UNDO)
      assert.deepEqual(
        (await deleted()).map(({ id }) => id),
        [2n],
      )
      const [last] = await opened.store.listAudit({ limit: 1 })
      await opened.store.undo(last?.id as bigint, UNDO)
      assert.deepEqual(await deleted(), [])
    },
  )

  rule('a restored animal has its external id again', async opened => {
    await sync(opened, [['a', 'Rex']])
    await sync(opened, [], { missing: 'delete' })
    assert.deepEqual(await petsOf(opened.store), [])
    await opened.store.bringBackPet({ ...pet('Rex'), id: 1n }, { ...ENTRY, action: 'pet.restore' })
    assert.deepEqual(await opened.store.findOrigins([1n]), [{ petId: 1n, source: 'riverside', externalId: 'a' }])
    assert.equal((await sync(opened, [['a', 'Rex']])).unchanged, 1)
  })

  rule(`a source keeps its last ${MAX_RUNS_KEPT} runs, and learns from them`, async opened => {
    for (let run = 0; run < MAX_RUNS_KEPT + 2; run += 1) await sync(opened, [['a', 'Rex']], { at: NOW + run * 1_000 })
    const runs = await runsOf(opened.store)
    assert.equal(runs.length, MAX_RUNS_KEPT)
    assert.equal(runs[0]?.at, NOW + (MAX_RUNS_KEPT + 1) * 1_000)
    const [source] = await opened.store.listSources({ name: 'RIVERSIDE' })
    assert.deepEqual(source?.syncedAt.slice(0, 2), [runs[0]?.at, runs[1]?.at])
    assert.deepEqual(source?.lastRun, runs[0])
  })

  rule('a sync writes nothing if its permit has ended, or its source is gone and must exist', async opened => {
    const { store } = opened
    const {
      token: { id },
    } = await createToken(store)
    await store.revokeToken(id, { ...ENTRY, action: 'token.revoke' })
    const run = await opened.transfer.beginSync(TERMS)
    await run.stage([line(2, ['a', 'Rex'])])
    await assert.rejects(
      run.commit({ ...ENTRY, tokenId: id, permit: { tokenId: id, role: 'feed' } }, STRICT),
      ActionRefused,
    )
    await assert.rejects(sync(opened, [['a', 'Rex']], { mayCreate: false }), /There is no source "riverside"/)
    assert.deepEqual([await store.listSources({}), await petsOf(store)], [[], []])
  })

  rule('a refused file is noted with its reasons', async ({ store, transfer }) => {
    await store.createSource({ name: 'riverside', ...DEFAULT_SOURCE }, { ...ENTRY, action: 'source.create' })
    const reasons = [{ reason: 'name is missing.', count: 2, firstLines: [2, 3] }]
    const run = await transfer.beginSync(TERMS)
    const reportOf = () => ({ read: 5, badLines: 2, reasons, refusal: '2 lines are invalid.' })
    await run.noteRefusal?.(ENTRY, { ...STRICT, reportOf })
    const [noted] = await runsOf(store)
    assert.deepEqual(
      [noted?.read, noted?.leftOut, noted?.reasons, noted?.refusal],
      [5, 2, reasons, '2 lines are invalid.'],
    )
  })

  rule('a first file that is refused creates no source, whatever it is refused for', async opened => {
    const twice: Given[] = [
      ['a', 'Rex'],
      ['a', 'Max'],
    ]
    assert.equal((await sync(opened, twice)).refused, 2)
    const unreadable = await opened.transfer.beginSync(TERMS)
    await unreadable.stage([], [{ line: 2, reason: 'bad' }])
    await unreadable.noteRefusal?.(ENTRY, STRICT)
    assert.deepEqual([await opened.store.listSources({}), await opened.store.listAudit({ limit: 1 })], [[], []])
  })

  rule('a removed source is forgotten, and its animals stay', async opened => {
    await sync(opened, [['a', 'Rex']])
    const [source] = await opened.store.listSources({})
    const remove = () => opened.store.removeSource(source?.id as bigint, { ...ENTRY, action: 'source.remove' })
    assert.deepEqual([await remove(), await remove()], [true, false])
    assert.deepEqual([await opened.store.listSources({}), await opened.store.findOrigins([1n])], [[], []])
    assert.deepEqual(await petsOf(opened.store), ['1 Rex available'])
  })

  rule('changes of different settings of a source do not undo each other', async ({ store }) => {
    const settings = { keyColumn: 'AnimalID', missing: 'delete', maxRemovals: '5', pauseSeconds: 60 } as const
    const created = { ...ENTRY, action: 'source.create' } as const
    const { id } = await store.createSource({ ...DEFAULT_SOURCE, ...settings, name: 'riverside' }, created)
    const change = (given: SourceChange) => store.changeSource(id, given, { ...ENTRY, action: 'source.change' })
    await Promise.all([change({ missing: 'keep' }), change({ keyColumn: null }), change({ pauseSeconds: 90 })])
    const [source] = await store.listSources({ name: 'RIVERSIDE' })
    assert.deepEqual(
      [source?.keyColumn, source?.missing, source?.maxRemovals, source?.pauseSeconds],
      [undefined, 'keep', '5', 90],
    )
    assert.equal(await store.changeSource(id + 1n, { missing: 'sold' }, { ...ENTRY, action: 'source.change' }), false)
  })

  rule('each source has its own last file and the times of its syncs, the latest first', async opened => {
    await sync(opened, [['a', 'Rex']], { source: 'zoo', at: NOW })
    await sync(opened, [['a', 'Tom']], { source: 'riverside', at: NOW + 1 })
    for (let night = 2; night < RUNS_LEARNED_FROM + 4; night += 1) {
      await sync(opened, [['a', 'Rex']], { source: 'zoo', at: NOW + night })
    }
    const refused = await sync(opened, [], { source: 'zoo', maxRemovals: '0', at: NOW + 99 })
    assert.match(refused.refusal ?? '', /1 of 1/)
    const [riverside, zoo] = await opened.store.listSources({})
    assert.deepEqual([riverside?.name, riverside?.lastRun?.at, riverside?.syncedAt], ['riverside', NOW + 1, [NOW + 1]])
    assert.deepEqual([zoo?.name, zoo?.lastRun?.at, zoo?.lastRun?.refusal], ['zoo', NOW + 99, refused.refusal])
    assert.deepEqual(
      zoo?.syncedAt,
      Array.from({ length: RUNS_LEARNED_FROM }, (_, index) => NOW + RUNS_LEARNED_FROM + 3 - index),
    )
    assert.deepEqual(await opened.store.listSources({ name: 'Zoo' }), [zoo])
  })

  rule('the name of a source is unique, ignoring case', async ({ store }) => {
    const create = (name: string) =>
      store.createSource({ name, ...DEFAULT_SOURCE }, { ...ENTRY, action: 'source.create' })
    await create('Riverside')
    await assert.rejects(create('riverSide'), /already a source "riverSide"/)
  })
}

async function sync(
  { transfer }: OpenedTransfer,
  lines: readonly Given[],
  { bad = [], at = NOW, options = STRICT, ...terms }: Syncing = {},
): Promise<Outcome> {
  const run = await transfer.beginSync({ ...TERMS, ...terms })
  await run.stage(
    lines.map((given, index) => line(index + 2, given)),
    bad,
  )
  return run.commit({ ...ENTRY, at }, options)
}

function line(number: number, [externalId, name, status]: Given): SyncLine {
  return { line: number, externalId, change: { name, categoryId: 7n, status } }
}

function pet(name: string): NewPet {
  return { name, categoryId: 7n, status: 'available' }
}

function numbersOf({ imported, updated, returned, removed, unchanged }: Outcome) {
  return { added: imported, corrected: updated, returned, removed, unchanged }
}

async function petsOf(store: Store): Promise<string[]> {
  return (await store.listPets(ALL)).pets.map(({ id, name, status }) => `${id} ${name} ${status}`)
}

async function runsOf(store: Store) {
  const [source] = await store.listSources({ name: 'riverside' })
  return source ? store.listSourceRuns({ sourceId: source.id, limit: 1_000 }) : []
}
