from __future__ import annotations

import math
import time
from datetime import datetime, timedelta, timezone
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Monotonic seconds: changes to the machine's wall clock do not affect them."""
        ...

    def time(self) -> float:
        """Unix seconds, by the machine's wall clock."""
        ...


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()


SYSTEM_CLOCK = SystemClock()

# Platforms limit how long a single wait may last, some to less than a month.
MAX_WAIT = 86_400.0


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
