from __future__ import annotations

import math
from typing import NamedTuple, Optional

from ._answer import Answer
from ._rate_limit import RateLimit, WindowHeader, rate_limit_of, read_windows

# The window of calls without a valid key: it does not belong to the account.
_ANONYMOUS = 'anonymous'
# Two answers may disagree by this much about the end of the same window, because clocks drift.
_TOLERANCE = 1.0
# How long the number of remaining calls is trusted: other processes may use up the account. A call
# sent within a second of another process's refusal with the same key counts as in flight, so even
# many simultaneous calls do not cause a ban.
_FRESH = 0.5


class Time(NamedTuple):
    """When a call was sent and when it ended, by the clock."""

    sent_at: float
    ended_at: float


class _Window(NamedTuple):
    """What is known about a window. Times are those of the clock."""

    name: str
    limit: int
    remaining: int
    # The window ends between these: answers have whole seconds, and it is unknown when during the
    # exchange an answer was written.
    ends_from: float
    ends_by: float
    # Until when it holds back calls if it is used up: its end, unless that is further away than the
    # client waits.
    holds_until: float
    # When the newest answer with this window arrived.
    learned_at: float


class Quota:
    """
    How many calls an account may still make, according to all answers, in whatever order they
    arrived.
    """

    def __init__(self) -> None:
        #: As of the last answer.
        self.rate_limit: Optional[RateLimit] = None
        #: When the last answer about the account arrived.
        self.learned_at = -math.inf
        self._windows: list[_Window] = []
        # Calls without an answer from the service that no later answer accounts for yet, and when
        # the last of them ended.
        self._uncertain = 0
        self._uncertain_at = -math.inf

    def learn(self, answer: Answer, is_ban: bool, time: Time) -> None:
        """
        :param is_ban: whether the answer reports a ban of the key; then its windows are not those
            of the account
        """
        windows = read_windows(answer.headers)
        if not windows:
            self.note_uncertain(time.ended_at)
        if not windows or any(window.name == _ANONYMOUS for window in windows):
            return
        self.rate_limit = rate_limit_of(windows, answer.received_at)
        if is_ban:
            return
        known = {window.name: window for window in self._windows}
        self._windows = [
            _merge(known.get(header.name), _window_of(header, time, answer.max_wait), time.sent_at)
            for header in windows
        ]
        self.learned_at = time.ended_at
        if time.sent_at >= self._uncertain_at:
            self._uncertain = 0

    def note_uncertain(self, now: float) -> None:
        """Notes a call that may or may not have been counted."""
        self._uncertain += 1
        self._uncertain_at = now

    def is_fresh(self, now: float) -> bool:
        """Whether the number of remaining calls is known, and new enough."""
        return self._is_known(now) and now < self.learned_at + _FRESH

    def remaining(self, now: float) -> float:
        """How many calls may be under way at the same time, as far as is known."""
        if not self._is_known(now):
            return math.inf
        return min(window.remaining for window in self._windows) - self._uncertain

    def used_up_until(self, now: float) -> float:
        """
        Until when used-up windows hold back calls; long ago if none is used up, as far as is known.
        """
        return max(
            (
                window.holds_until
                for window in self._windows
                if window.remaining == 0 and window.holds_until > now
            ),
            default=-math.inf,
        )

    def pace_from(self, last_entry_at: float, underway: int, now: float) -> float:
        """
        When the next paced call may follow the last, so that the remaining calls last until the
        reset. Only the window that resets first matters, and only once half of it is used. Calls
        under way count as used.
        """
        window = min(self._windows, key=lambda window: window.ends_by, default=None)
        if window is None or window.ends_by <= now:
            return -math.inf
        remaining = window.remaining - underway
        if remaining > window.limit / 2:
            return -math.inf
        return last_entry_at + (window.ends_by - now) / max(1, remaining)

    @property
    def known_until(self) -> float:
        """Until when the number of remaining calls is known: the end of the first window."""
        return min((window.ends_by for window in self._windows), default=-math.inf)

    def _is_known(self, now: float) -> bool:
        return self.known_until > now


def _window_of(header: WindowHeader, time: Time, max_wait: float) -> _Window:
    return _Window(
        header.name,
        header.limit,
        header.remaining,
        ends_from=time.sent_at + header.seconds_to_reset - 1,
        ends_by=time.ended_at + header.seconds_to_reset,
        holds_until=time.ended_at + min(header.seconds_to_reset, max_wait),
        learned_at=time.ended_at,
    )


def _merge(known: Optional[_Window], answered: _Window, sent_at: float) -> _Window:
    """
    Within a window, the number of remaining calls only falls, unless the plan has changed. Of two
    windows, the later one is current.
    """
    if known is None or answered.ends_from > known.ends_by + _TOLERANCE:
        return answered
    is_earlier = answered.ends_by < known.ends_from - _TOLERANCE
    if is_earlier or answered.limit != known.limit:
        return answered if sent_at >= known.learned_at else known
    return answered._replace(
        remaining=min(answered.remaining, known.remaining),
        ends_from=max(answered.ends_from, known.ends_from),
        ends_by=min(answered.ends_by, known.ends_by),
        holds_until=min(answered.holds_until, known.ends_by),
    )
