"""Whatever the network and other processes do, the limits are kept and no ban is earned."""

from __future__ import annotations

import asyncio
import math
import random
import threading
import unittest
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Tuple

from petstore_client import BannedError, PetstoreError, RateLimitError, ServiceError, TimeoutError
from petstore_client._blocking_io import run
from petstore_client._clock import date_of
from petstore_client._hooks import Hooks, WaitEvent
from petstore_client._http import HttpResponse
from petstore_client._retry import DEFAULT_MAX_WAIT
from petstore_client._transport import CallOptions, Transport

from .support.fake_clock import FakeClock, TaskClock, ThreadClock, settle
from .support.kinds import Kind, for_both_clients
from .support.model_network import Trip
from .support.model_service import DAY, ModelService
from .support.processes import LIST, Process, transport_on

HOUR = 3_600.0
FAULTS = ['request lost', 'answer lost', '502', '503']


class GateAssertions:
    def failures(
        self, clock: FakeClock, call: Callable[[], object], at: float = 0.0
    ) -> List[Tuple[BaseException, float]]:
        """What a call raises, and when."""
        failures: List[Tuple[BaseException, float]] = []

        async def run() -> None:
            try:
                await settle(call())
            except BaseException as error:
                failures.append((error, clock.now()))

        clock.spawn(run, at)
        return failures

    def assert_times(
        self, actual: List[float], expected: List[float], message: Optional[str] = None
    ) -> None:
        self.assertEqual(len(actual), len(expected), (actual, message))
        for one, other in zip(actual, expected):
            self.assertAlmostEqual(one, other, places=3, msg=f'{actual} {message}')


@for_both_clients
class GateTest(GateAssertions):
    kind: Kind

    def test_in_any_scenario_limits_and_times_are_kept_and_no_ban_is_earned(self) -> None:
        for seed in range(60):
            with self.subTest(seed=seed):
                self._try_scenario(random.Random(seed))

    def _try_scenario(self, rng: random.Random) -> None:
        clock = self.kind.new_clock()
        is_alone = rng.random() < 0.5
        per_minute = rng.randint(1, 40)
        service = ModelService(per_minute, 1_000)
        # If no other process uses the account, answers may be late. If others do, a refusal must
        # arrive within a second.
        longest = 3.0 if is_alone else 0.2
        faults = [*FAULTS, 'hangs'] if is_alone else FAULTS
        trips = [
            Trip(
                rng.uniform(0.001, longest),
                rng.uniform(0, longest),
                rng.choice(faults) if rng.random() < 0.3 else None,
            )
            for _ in range(rng.randint(1, 12))
        ]
        trip_numbers = iter(range(10**9))

        def next_trip() -> Trip:
            return trips[next(trip_numbers) % len(trips)]

        processes = [
            Process(clock, service, next_trip, rng.uniform(0.1, 0.99))
            for _ in range(1 if is_alone else rng.randint(1, 2))
        ]
        if not is_alone:
            for _ in range(rng.randint(0, 5)):

                def compete(calls: int = rng.randint(1, 40)) -> None:
                    for _ in range(calls):
                        service.spend(clock.now())

                clock.spawn(compete, at=rng.uniform(0, 200))
        late: List[float] = []

        async def work(
            process: Process, calls: int, pause: float, is_paced: bool, timeout: float
        ) -> None:
            for _ in range(calls):
                deadline = clock.now() + timeout
                try:
                    await process.call(timeout, is_paced)
                except PetstoreError:
                    pass
                if clock.now() > deadline + 1e-6:
                    late.append(clock.now() - deadline)
                await clock.sleep(pause)

        for index in range(rng.randint(1, 32)):
            process = processes[index % len(processes)]
            calls, pause = rng.randint(1, 5), rng.uniform(0, 3)
            is_paced, timeout = rng.random() < 0.5, rng.uniform(0, 200)
            clock.spawn(
                partial(work, process, calls, pause, is_paced, timeout), at=rng.uniform(0, 70)
            )
        clock.run()
        self.assertEqual(late, [])
        for process in processes:
            self.assertEqual(process.network.violations, [])
        self.assertEqual(service.bans, 0)

    def test_of_many_parallel_calls_as_many_are_sent_as_remain(self) -> None:
        clock = self.kind.new_clock()
        process = Process(clock, ModelService(5))
        for _ in range(8):
            clock.spawn(process.call)
        clock.run()
        self.assertEqual(process.network.statuses, [200] * 8)
        self.assert_times(
            process.network.sent_at,
            [0, 0.04, 0.04, 0.04, 0.04, 60.04, 60.08, 60.08],
            'one call goes ahead',
        )

    def test_repeated_refusals_are_waited_for_longer_by_one_two_four_at_most_five_minutes(
        self,
    ) -> None:
        clock = self.kind.new_clock()
        service = ModelService(1)
        process = Process(clock, service, lambda: Trip(0, 0), 0.5)

        # Another key of the account is always first.
        async def compete() -> None:
            while clock.now() < HOUR:
                service.spend(clock.now())
                await clock.sleep(0.5)

        clock.spawn(compete)
        clock.spawn(lambda: process.call(2 * HOUR), at=0.1)
        clock.run()
        sent_at = process.network.sent_at
        self.assertEqual(process.network.statuses[-1], 200)
        added = [
            second - first - -(-(60 - first % 60) // 1)
            for first, second in zip(sent_at, sent_at[1:])
        ]
        self.assert_times([s - 0.5 for s in added[:6]], [0, 60, 120, 240, 300, 300])
        self.assertLessEqual(max(added), 300.5001)

    def test_processes_that_share_a_key_while_others_are_always_first_earn_no_ban(self) -> None:
        for count in (2, 3, 4):
            clock = self.kind.new_clock()
            service = ModelService(10)
            end = 20 * 60.0

            async def compete() -> None:
                while clock.now() < end:
                    service.spend(clock.now())
                    await clock.sleep(0.25)

            clock.spawn(compete)
            for index, share in enumerate([0.1, 0.9, 0.3, 0.6][:count]):
                process = Process(clock, service, share=share)

                async def work(process: Process = process) -> None:
                    while clock.now() < end:
                        await process.call(DAY)

                clock.spawn(work, at=0.7 * index)
            clock.run()
            self.assertEqual(service.bans, 0, f'{count} processes')

    def test_calls_that_are_refused_together_count_as_one_refusal(self) -> None:
        clock = self.kind.new_clock()
        service = ModelService(50)
        process = Process(clock, service, share=0.5)
        clock.spawn(process.call)
        clock.run()
        for _ in range(49):
            service.spend(clock.now())
        for _ in range(8):
            clock.spawn(process.call)
        clock.run()
        self.assertEqual(process.network.statuses[1:9], [429] * 8)
        sent_at = process.network.sent_at
        self.assertAlmostEqual(sent_at[9] - sent_at[8], 0.04 + 60 + 0.5)

    def test_refusals_without_retry_after_are_waited_for_and_earn_no_ban(self) -> None:
        clock = self.kind.new_clock()
        service = ModelService(20, 1_000)
        process = Process(clock, service, lambda: Trip(fault='bare'))

        async def work() -> None:
            while clock.now() < 600:
                await process.call(1_000)

        for _ in range(8):
            clock.spawn(work)
        clock.run()
        self.assertEqual(service.bans, 0)
        self.assertGreater(process.network.statuses.count(200), 80)

    def test_if_refusals_never_have_retry_after_calls_become_rare(self) -> None:
        clock = self.kind.new_clock()
        service = ModelService(1_000, 1)
        process = Process(clock, service, lambda: Trip(fault='bare'))
        service.spend(clock.now())
        clock.spawn(lambda: process.call(2 * DAY))
        clock.run()
        sent_at = process.network.sent_at
        pauses = [b - a - 0.04 for a, b in zip(sent_at, sent_at[1:])]
        self.assert_times(pauses[:11], [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        self.assertEqual(service.bans, 0)

    def test_a_call_that_cannot_wait_is_rejected_at_once_and_one_that_can_is_sent(self) -> None:
        clock = self.kind.new_clock()
        process = Process(clock, ModelService(1))
        clock.spawn(process.call)
        clock.spawn(lambda: process.call(60.1), at=0.05)
        failures = self.failures(clock, lambda: process.call(59), at=0.05)
        clock.run()
        [(error, at)] = failures
        assert isinstance(error, RateLimitError)
        self.assertAlmostEqual(error.retry_at.timestamp(), 60.04, places=3)
        self.assertIn('No calls remain until 1970-01-01T00:01:00Z.', error.message)
        self.assertIsNone(error.request_id)
        self.assertEqual(at, 0.05)
        self.assertEqual(len(process.network.sent_at), 2)

    def test_a_refused_call_raises_its_refusal_with_the_time_at_which_the_gate_opens(self) -> None:
        clock = self.kind.new_clock()
        service = ModelService(1)
        process = Process(clock, service, share=0.5)
        service.spend(clock.now())
        failures = self.failures(clock, lambda: process.call(1))
        clock.run()
        [(error, _)] = failures
        assert isinstance(error, RateLimitError)
        self.assertEqual(error.message, 'Refused: rate_limit_exceeded.')
        self.assertRegex(str(error.request_id), '^[0-9a-f]{32}$')
        self.assertAlmostEqual(error.retry_at.timestamp(), 0.04 + 60 + 0.5, places=3)

    def test_a_ban_is_waited_for_even_if_it_is_lifted(self) -> None:
        clock = self.kind.new_clock()
        service = ModelService(5)
        process = Process(clock, service)
        service.ban(clock.now())
        failures = self.failures(clock, process.call)
        clock.spawn(service.lift_ban, at=1)
        later = self.failures(clock, process.call, at=2)
        clock.spawn(lambda: process.call(1_000), at=3)
        clock.run()
        for error, _ in failures + later:
            self.assertIsInstance(error, BannedError)
        self.assertEqual(len(failures + later), 2)
        self.assert_times(process.network.sent_at, [0, 900.04])

    def test_when_the_service_says_when_it_will_be_back_all_calls_wait_until_then(self) -> None:
        clock = self.kind.new_clock()
        trips = iter([Trip(fault='503')])
        process = Process(clock, ModelService(50), lambda: next(trips, Trip()))
        clock.spawn(process.call)
        clock.spawn(process.call)
        failures = self.failures(clock, lambda: process.call(1), at=0.1)
        clock.run()
        self.assert_times(process.network.sent_at, [0, 2.04, 2.08])
        [(error, at)] = failures
        assert isinstance(error, ServiceError)
        self.assertEqual(at, 0.1)
        self.assertRegex(
            error.message, '^Not sent: calls with this key must wait until 1970-01-01T'
        )
        self.assertIsInstance(error.__cause__, ServiceError)

    def test_calls_without_an_answer_count_as_used_up_until_it_is_known(self) -> None:
        clock = self.kind.new_clock()
        trips = iter([Trip(), *[Trip(fault='hangs')] * 4])
        process = Process(clock, ModelService(8), lambda: next(trips, Trip(1, 1)))
        clock.spawn(process.call)
        for _ in range(4):
            self.failures(clock, lambda: process.call(0.09), at=0.1)
        for _ in range(8):
            clock.spawn(process.call, at=0.2)
        clock.run()
        # Of the 7 that remained, 4 may have been counted.
        self.assert_times(process.network.sent_at[5:8], [0.2] * 3)
        self.assertGreater(process.network.sent_at[8], 2)
        self.assertNotIn(429, process.network.statuses)

    def test_a_hanging_call_holds_the_others_up_only_for_a_while(self) -> None:
        clock = self.kind.new_clock()
        trips = iter([Trip(fault='hangs')])
        process = Process(clock, ModelService(50), lambda: next(trips, Trip()))
        for _ in range(3):
            clock.spawn(process.call)
        clock.run()
        self.assert_times(process.network.sent_at[:3], [0, 5, 5.04])

    def test_a_call_that_waits_for_its_turn_gives_up_in_time(self) -> None:
        clock = self.kind.new_clock()
        process = Process(clock, ModelService(50), lambda: Trip(fault='hangs'))
        ahead = self.failures(clock, lambda: process.call(4))
        behind = [
            self.failures(clock, lambda: process.call(3), at=0.1),
            self.failures(clock, lambda: process.call(1), at=0.1),
        ]
        clock.run()
        for failures, at in zip([ahead, *behind], (4, 3.1, 1.1)):
            self.assertIsInstance(failures[0][0], TimeoutError)
            self.assertAlmostEqual(failures[0][1], at)
        self.assertEqual(len(process.network.sent_at), 1)

    def test_a_paced_caller_spreads_the_second_half_of_its_calls_over_the_minute(self) -> None:
        clock = self.kind.new_clock()
        process = Process(clock, ModelService(10))
        for _ in range(10):
            clock.spawn(lambda: process.call(is_paced=True))
        clock.run()
        first, *later = process.network.sent_at[4:]
        self.assertLess(first, 0.1)
        self.assertTrue(45 < later[-1] < 60.02, later)

    def test_waits_are_reported_once_with_their_reason_and_a_hook_may_use_the_client(self) -> None:
        clock = self.kind.new_clock()
        service = ModelService(1)
        process = Process(clock, service)
        events: List[WaitEvent] = []

        def on_wait(event: WaitEvent) -> None:
            self.assertIsNotNone(process.gate.rate_limit)
            events.append(event)

        transport = transport_on(
            clock, process.network.send, gate=process.gate, hooks=Hooks(on_wait=on_wait)
        )
        for _ in range(3):
            clock.spawn(lambda: transport.call(LIST, CallOptions(600)))
        clock.run()
        waits = sorted((round(event.until.timestamp()), event.attempt) for event in events)
        self.assertEqual(waits, [(60, 1), (60, 1), (120, 1)])
        for event in events:
            self.assertIsInstance(event.error, RateLimitError)
            self.assertAlmostEqual(event.wait, 60, delta=0.1)

    def test_in_a_forked_process_the_gate_is_free_and_keeps_what_it_has_learned(self) -> None:
        clock = self.kind.new_clock()
        process = Process(clock, ModelService(5))
        clock.spawn(process.call)
        clock.run()
        lock: threading.Lock = process.gate._lock
        lock.acquire()
        process.gate.after_fork()
        self.assertIsNot(process.gate._lock, lock)
        assert process.gate.rate_limit
        self.assertEqual(process.gate.rate_limit.remaining, 4)


CENTURY = 3_153_600_000
OURS = {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1798761600',
}
ASKS_FOR_A_CENTURY = {'retry-after': str(CENTURY)}
LONG_WINDOW = {'ratelimit-policy': '"day";q=9;w=86400', 'ratelimit': '"day";r=0;t=999999999'}

# An answer, the setting, and for how many seconds it holds back calls.
FALSE_ANSWERS: List[Tuple[str, int, Dict[str, str], float, float]] = [
    ('a 429', 429, {**OURS, **ASKS_FOR_A_CENTURY}, DEFAULT_MAX_WAIT, 25 * HOUR),
    ('a 503', 503, {**OURS, **ASKS_FOR_A_CENTURY}, DEFAULT_MAX_WAIT, 25 * HOUR),
    ('a 429 of another server', 429, ASKS_FOR_A_CENTURY, DEFAULT_MAX_WAIT, 120),
    ('a 503 of another server', 503, ASKS_FOR_A_CENTURY, DEFAULT_MAX_WAIT, 120),
    ('a date in 2126', 503, {'retry-after': 'Sat, 02 Nov 2126 00:00:00 GMT'}, DAY, 120),
    ('more digits than a number has', 429, {'retry-after': '9' * 400}, DAY, 120),
    ('a window of 31 years', 200, LONG_WINDOW, DEFAULT_MAX_WAIT, 25 * HOUR),
    ('a shorter setting', 429, {**OURS, **ASKS_FOR_A_CENTURY}, 60, 60),
    ('a shorter setting, a long window', 200, LONG_WINDOW, 60, 60),
    ('no limit, another server', 503, ASKS_FOR_A_CENTURY, math.inf, 120),
    ('a date in the past', 503, {'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT'}, DAY, 0),
]


@for_both_clients
class FalseAnswerTest:
    kind: Kind

    def test_one_false_answer_holds_back_calls_for_a_limited_time(self) -> None:
        for name, status, headers, max_wait, held in FALSE_ANSWERS:
            with self.subTest(name):
                clock = self.kind.new_clock()
                answers = [HttpResponse(status, headers, b'[]')]

                async def send(*_: object, answers: List[HttpResponse] = answers) -> HttpResponse:
                    return answers.pop() if answers else HttpResponse(200, {}, b'[]')

                transport = transport_on(clock, send, timeout=1, max_retries=0, max_wait=max_wait)
                seen: List[bool] = []

                async def call(transport: Transport = transport) -> bool:
                    try:
                        await transport.call(LIST, CallOptions())
                        return True
                    except PetstoreError:
                        return False

                async def program(
                    clock: FakeClock = clock, held: float = held, seen: List[bool] = seen
                ) -> None:
                    await call()
                    seen.append(await call())
                    await clock.sleep(max(0.0, held - 1.001 - clock.now()))
                    seen.append(await call())
                    await clock.sleep(max(0.0, held - clock.now()))
                    seen.append(await call())

                clock.spawn(program)
                clock.run()
                self.assertEqual(seen, [held == 0, held == 0, True])

    def test_the_error_carries_the_wait_that_was_asked_for(self) -> None:
        clock = self.kind.new_clock()
        body = b'{"code":"rate_limit_exceeded","message":"Wait.","status":429}'

        async def send(*_: object) -> HttpResponse:
            return HttpResponse(429, {**OURS, **ASKS_FOR_A_CENTURY}, body)

        transport = transport_on(clock, send, timeout=1, max_wait=HOUR)

        async def program() -> None:
            for _ in range(2):
                with self.assertRaises(RateLimitError) as raised:
                    await transport.call(LIST, CallOptions())
                self.assertEqual(raised.exception.retry_after, CENTURY)
                self.assertEqual(raised.exception.retry_at, date_of(clock, HOUR))

        clock.spawn(program)
        clock.run()

    def test_retry_at_says_when_calls_are_sent_again(self) -> None:
        for status, headers, retry_at in (
            (503, ASKS_FOR_A_CENTURY, 120),
            (502, ASKS_FOR_A_CENTURY, 120),
            (302, ASKS_FOR_A_CENTURY, 120),
            (500, {**OURS, **ASKS_FOR_A_CENTURY}, HOUR),
            (429, {**OURS, **ASKS_FOR_A_CENTURY}, HOUR),
        ):
            with self.subTest(status):
                clock = self.kind.new_clock()
                response = HttpResponse(status, headers, b'')

                async def send(*_: object, response: HttpResponse = response) -> HttpResponse:
                    return response

                transport = transport_on(clock, send, timeout=1, max_retries=0, max_wait=HOUR)
                raised: List[PetstoreError] = []

                async def program(
                    transport: Transport = transport, raised: List[PetstoreError] = raised
                ) -> None:
                    try:
                        await transport.call(LIST, CallOptions())
                    except PetstoreError as error:
                        raised.append(error)

                clock.spawn(program)
                clock.run()
                [error] = raised
                assert isinstance(error, (RateLimitError, ServiceError))
                self.assertEqual(error.retry_after, CENTURY)
                self.assertEqual(error.retry_at, date_of(clock, retry_at))


class InterruptedTest(GateAssertions, unittest.TestCase):
    def test_an_interrupted_call_leaves_the_gate(self) -> None:
        clock = ThreadClock()
        service = ModelService(2)
        process = Process(clock, service)
        service.spend(0)

        def interrupt(event: WaitEvent) -> None:
            raise KeyboardInterrupt

        transport = transport_on(
            clock, process.network.send, gate=process.gate, hooks=Hooks(on_wait=interrupt)
        )
        clock.spawn(process.call)
        failures = self.failures(clock, lambda: transport.call(LIST, CallOptions()), at=1)
        clock.spawn(process.call, at=2)
        clock.run()
        self.assertIsInstance(failures[0][0], KeyboardInterrupt)
        self.assert_times(process.network.sent_at, [0, 60.04])

    def test_a_call_that_is_interrupted_just_when_it_may_enter_leaves_its_place_to_others(
        self,
    ) -> None:
        clock = ThreadClock()
        process = Process(clock, ModelService(1))

        def interrupt(event: WaitEvent) -> None:
            run(clock.sleep(60.5 - clock.now()))
            raise KeyboardInterrupt

        transport = transport_on(
            clock, process.network.send, gate=process.gate, hooks=Hooks(on_wait=interrupt)
        )
        clock.spawn(process.call)
        failures = self.failures(clock, lambda: transport.call(LIST, CallOptions()), at=1)
        # This one finds the gate open, and lets the other enter first.
        clock.spawn(process.call, at=60.3)
        clock.run()
        self.assertIsInstance(failures[0][0], KeyboardInterrupt)
        self.assertEqual(process.gate._underway, 0)
        self.assert_times(process.network.sent_at, [0, 60.5])


class CancelledTest(GateAssertions, unittest.TestCase):
    def test_a_cancelled_call_leaves_the_gate(self) -> None:
        clock = TaskClock()
        service = ModelService(2)
        process = Process(clock, service)
        service.spend(0)
        clock.spawn(process.call)
        clock.spawn(lambda: self.cancel(clock, process.call(), at=1.5), at=1)
        clock.spawn(process.call, at=2)
        clock.run()
        self.assert_times(process.network.sent_at, [0, 60.04])

    def test_a_call_that_is_cancelled_just_when_it_may_enter_leaves_its_place_to_others(
        self,
    ) -> None:
        clock = TaskClock()
        process = Process(clock, ModelService(9))

        async def cancel_as_it_enters() -> None:
            ahead = asyncio.ensure_future(process.call())
            calling = asyncio.ensure_future(process.call())
            ahead.add_done_callback(lambda _: calling.cancel())
            await ahead
            self.assertEqual(process.gate._underway, 1)
            with self.assertRaises(asyncio.CancelledError):
                await calling

        clock.spawn(cancel_as_it_enters)
        clock.spawn(process.call, at=1)
        clock.run()
        self.assertEqual(process.gate._underway, 0)
        self.assert_times(process.network.sent_at, [0, 1])

    def test_a_call_that_is_cancelled_before_it_is_sent_again_is_not_sent_again(self) -> None:
        clock = TaskClock()
        process = Process(clock, ModelService(9), lambda: Trip(fault='502'), 0.9)
        clock.spawn(lambda: self.cancel(clock, process.call(), at=0.1))
        clock.run()
        self.assert_times(process.network.sent_at, [0])

    async def cancel(self, clock: TaskClock, call: Any, at: float = 0.0) -> None:
        """Starts a call and cancels it at this time."""
        calling = asyncio.ensure_future(call)
        await clock.sleep(at - clock.now())
        calling.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await calling


if __name__ == '__main__':
    unittest.main()
