"""Clocks for tests that need no real time: one for threads, one for tasks."""

from __future__ import annotations

import asyncio
import heapq
import inspect
import math
import selectors
import threading
from typing import Any, Callable, List, Optional, Tuple, Union

from petstore_client._async_io import AsyncIo, AsyncSignal
from petstore_client._blocking_io import BlockingIo, run


async def settle(value: Any) -> Any:
    """The result of a call, whether or not it must be awaited."""
    return await value if inspect.isawaitable(value) else value


class _Sleep:
    def __init__(self) -> None:
        self.is_pending = True
        self.woken = threading.Semaphore(0)


class ThreadClock:
    """
    Real threads on a clock that jumps to the next time for which one of them waits, as soon as all
    of them wait.
    """

    max_underway = BlockingIo.max_underway

    def __init__(self) -> None:
        self._now = 0.0
        self._lock = threading.Lock()
        # This thread counts until it calls `run`.
        self._running = 1
        self._sleeping: List[Tuple[float, int, _Sleep]] = []
        self._threads: List[threading.Thread] = []
        self._errors: List[BaseException] = []
        self._count = 0

    def now(self) -> float:
        return self._now

    def time(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        await self.signal().wait(seconds)

    def signal(self) -> _FakeSignal:
        return _FakeSignal(self)

    def spawn(self, work: Callable[[], object], at: float = 0.0) -> None:
        """Runs a function, or a coroutine that blocks, in a thread of its own, from this time."""

        def work_from_then() -> None:
            try:
                run(self.sleep(at - self._now))
                run(settle(work()))
            except BaseException as error:
                self._errors.append(error)
            finally:
                self._stop_running()

        with self._lock:
            self._running += 1
        self._threads.append(threading.Thread(target=work_from_then, daemon=True))
        self._threads[-1].start()

    def run(self) -> None:
        """Returns when all threads have ended, and raises what the first of them has raised."""
        self._stop_running()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive(), f'A thread hangs at {self._now}.'
        self._threads = []
        if self._errors:
            raise self._errors[0]
        with self._lock:
            self._running += 1

    def _stop_running(self) -> None:
        with self._lock:
            self._running -= 1
            self._wake_next()

    def _fall_asleep(self, sleep: _Sleep, seconds: float) -> None:
        self._count += 1
        at = self._now + max(0.0, seconds)
        heapq.heappush(self._sleeping, (at, self._count, sleep))
        self._running -= 1
        self._wake_next()

    def _wake_next(self) -> None:
        while self._running == 0 and self._sleeping:
            at, _, sleep = heapq.heappop(self._sleeping)
            if sleep.is_pending:
                assert at < math.inf, 'A thread is never woken.'
                self._now = max(self._now, at)
                self._wake(sleep)

    def _wake(self, sleep: _Sleep) -> None:
        sleep.is_pending = False
        self._running += 1
        sleep.woken.release()


class _FakeSignal:
    def __init__(self, clock: ThreadClock) -> None:
        self._clock = clock
        self._is_set = False
        self._sleep: Optional[_Sleep] = None

    def set(self) -> None:
        with self._clock._lock:
            self._is_set = True
            if self._sleep and self._sleep.is_pending:
                self._clock._wake(self._sleep)

    async def wait(self, seconds: float) -> None:
        sleep = _Sleep()
        with self._clock._lock:
            if self._is_set:
                sleep.woken.release()
            else:
                self._sleep = sleep
                self._clock._fall_asleep(sleep, seconds)
        sleep.woken.acquire()
        self._is_set = False


class TaskClock:
    """
    Tasks of one event loop, whose time jumps to the next time for which one of them waits, as soon
    as all of them wait.
    """

    max_underway = AsyncIo.max_underway

    def __init__(self) -> None:
        self._now = 0.0
        self._spawned: List[Tuple[Callable[[], object], float]] = []

    def now(self) -> float:
        return self._now

    def time(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        await self.signal().wait(max(0.0, seconds))

    def signal(self) -> AsyncSignal:
        return AsyncSignal()

    def spawn(self, work: Callable[[], object], at: float = 0.0) -> None:
        """Runs a function or a coroutine in a task of its own, from this time."""
        self._spawned.append((work, at))

    def run(self) -> None:
        """Returns when all tasks have ended, and raises what the first of them has raised."""
        spawned, self._spawned = self._spawned, []

        async def work_from_then(work: Callable[[], object], at: float) -> None:
            await self.sleep(at - self._now)
            await settle(work())

        async def all_work() -> None:
            await asyncio.gather(*(work_from_then(work, at) for work, at in spawned))

        loop = _JumpingLoop(self)
        try:
            loop.run_until_complete(all_work())
        finally:
            loop.close()


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self, clock: TaskClock) -> None:
        self._clock = clock
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self._clock._now

    def jump(self) -> None:
        timers: List[asyncio.TimerHandle] = getattr(self, '_scheduled')
        assert timers, f'A task is never woken at {self._clock._now}.'
        self._clock._now = max(self._clock._now, timers[0].when())


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self, loop: _JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: Optional[float] = None) -> List[Tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout != 0:
            self._loop.jump()
        return ready


FakeClock = Union[ThreadClock, TaskClock]
