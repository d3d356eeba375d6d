from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Mapping, NamedTuple, Optional, Sequence

from ._clock import date_from_unix


@dataclass(frozen=True)
class RateLimitWindow:
    """A window that counts the account's calls."""

    #: `minute` or `day`.
    name: str
    limit: int
    #: Calls remaining in the window.
    remaining: int
    #: When it resets, in UTC by this machine's clock.
    reset_at: datetime


@dataclass(frozen=True)
class RateLimit:
    """The remaining calls of an account, as of the last response."""

    #: The limit of the window with the fewest calls remaining.
    limit: int
    #: The calls that remain in it.
    remaining: int
    #: When it resets, in UTC by this machine's clock.
    reset_at: datetime
    #: Every window that counts the account's calls.
    windows: tuple[RateLimitWindow, ...]


class WindowHeader(NamedTuple):
    """A window as the headers of an answer show it."""

    #: `minute` or `day`; `anonymous` for calls without a valid key.
    name: str
    limit: int
    remaining: int
    #: Counted from the time of the answer, so that this machine's wall clock does not matter.
    #: Rounded up.
    seconds_to_reset: int


#: A little over a day, the longest window of the service. A false answer may name a longer one.
MAX_WINDOW = 25 * 3_600


def read_windows(headers: Mapping[str, str]) -> list[WindowHeader]:
    """
    Reads `RateLimit-Policy` and `RateLimit` (IETF draft, RateLimit header fields for HTTP).

    :returns: an empty list if a proxy has removed either header
    """
    policies = re.findall(
        r'"([^"]+)";q=(\d{1,18})\b', headers.get('ratelimit-policy', ''), re.ASCII
    )
    limits = {name: int(limit) for name, limit in policies}
    windows = re.findall(
        r'"([^"]+)";r=(\d{1,18});t=(\d{1,9})\b', headers.get('ratelimit', ''), re.ASCII
    )
    return [
        WindowHeader(name, limits[name], int(remaining), min(int(seconds), MAX_WINDOW))
        for name, remaining, seconds in windows
        if name in limits
    ]


def rate_limit_of(headers: Sequence[WindowHeader], received_at: float) -> Optional[RateLimit]:
    """:param received_at: Unix seconds"""
    windows = tuple(
        RateLimitWindow(
            header.name,
            header.limit,
            header.remaining,
            date_from_unix(received_at + header.seconds_to_reset),
        )
        for header in headers
    )
    if not windows:
        return None
    tightest = min(windows, key=lambda window: (window.remaining, -window.reset_at.timestamp()))
    return RateLimit(tightest.limit, tightest.remaining, tightest.reset_at, windows)
