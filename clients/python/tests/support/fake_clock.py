"""A clock for tests that need no real time."""

from __future__ import annotations

import heapq
import math
import threading
from typing import Callable, List, Optional, Tuple


class _Sleep:
    def __init__(self) -> None:
        self.is_pending = True
        self.woken = threading.Semaphore(0)


class FakeClock:
    """
    Real threads on a clock that jumps to the next time for which one of them waits, as soon as all
    of them wait.
    """

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

    def sleep(self, seconds: float) -> None:
        sleep = _Sleep()
        self._fall_asleep(sleep, seconds)
        sleep.woken.acquire()

    def sleep_until(self, at: float) -> None:
        self.sleep(at - self._now)

    def condition(self, lock: threading.Lock) -> _FakeCondition:
        return _FakeCondition(self, lock)

    def spawn(self, work: Callable[[], object], at: float = 0.0) -> None:
        """Runs a function in a thread of its own, from this time."""

        def run() -> None:
            try:
                self.sleep_until(at)
                work()
            except BaseException as error:
                self._errors.append(error)
            finally:
                self._stop_running()

        with self._lock:
            self._running += 1
        self._threads.append(threading.Thread(target=run, daemon=True))
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
        with self._lock:
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


class _FakeCondition:
    def __init__(self, clock: FakeClock, lock: threading.Lock) -> None:
        self._clock = clock
        self._lock = lock
        self._sleep: Optional[_Sleep] = None

    def wait(self, timeout: float) -> None:
        sleep = self._sleep = _Sleep()
        self._clock._fall_asleep(sleep, timeout)
        self._lock.release()
        sleep.woken.acquire()
        self._lock.acquire()

    def notify(self) -> None:
        with self._clock._lock:
            if self._sleep and self._sleep.is_pending:
                self._clock._wake(self._sleep)
