from __future__ import annotations

import math
import threading
import time
from datetime import datetime, timedelta, timezone
from typing import Protocol


class Condition(Protocol):
    """The part of `threading.Condition` that the gate uses, with the lock held."""

    def wait(self, timeout: float) -> object: ...

    def notify(self) -> None: ...


class Clock(Protocol):
    def now(self) -> float:
        """Monotonic seconds: changes to the machine's wall clock do not affect them."""
        ...

    def time(self) -> float:
        """Unix seconds, by the machine's wall clock."""
        ...

    def sleep(self, seconds: float) -> None: ...

    def condition(self, lock: threading.Lock) -> Condition: ...


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        end = self.now() + seconds
        while (left := end - self.now()) > 0:
            time.sleep(min(left, _MAX_WAIT))

    def condition(self, lock: threading.Lock) -> Condition:
        return _SystemCondition(lock)


class _SystemCondition:
    def __init__(self, lock: threading.Lock) -> None:
        self._condition = threading.Condition(lock)

    def wait(self, timeout: float) -> None:
        # It may return early: the gate checks the time again.
        self._condition.wait(min(timeout, _MAX_WAIT))

    def notify(self) -> None:
        self._condition.notify()


SYSTEM_CLOCK = SystemClock()

# Platforms limit how long a single wait of a thread may last, some to less than a month.
_MAX_WAIT = 86_400.0


def date_of(clock: Clock, at: float) -> datetime:
    """The date at a time of the clock. A time beyond all dates becomes the last one."""
    return date_from_unix(clock.time() + at - clock.now())


def date_from_unix(seconds: float) -> datetime:
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=timezone.utc)


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def parse_seconds(name: str, seconds: float) -> float:
    """
    :raises TypeError: if this is not a number
    :raises ValueError: if it is NaN: a comparison with it would always be false
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(
            f'{name} must be a number of seconds, not {type(seconds).__name__}. '
            'Use math.inf for no limit.'
        )
    if math.isnan(seconds):
        raise ValueError(f'{name} must be a number of seconds; it is NaN.')
    return float(seconds)
