from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import partial
from typing import Callable, Optional, Union

from ._answer import Answer, believed_retry_after
from ._clock import Clock, date_of
from ._errors import (
    BannedError,
    PetstoreError,
    RateLimitError,
    Refusal,
    ServiceError,
    TimeoutError,
    refuse_until,
)
from ._fork import on_fork
from ._io import Signal
from ._quota import Quota, Time
from ._rate_limit import RateLimit
from ._retry import Random, closes_gate, guess_pause, pause_after_refusal, with_jitter


@dataclass(frozen=True)
class Entry:
    #: The latest time at which the call may enter, by the clock.
    deadline: float
    #: Whether the call waits longer when few calls remain.
    is_paced: bool
    #: The call waits while this many are under way.
    max_underway: float
    #: Ends the wait of this call.
    signal: Signal
    #: Called when the call must wait, and again when it must wait longer, with the end of the wait
    #: by the clock and its reason (None for a paced call).
    on_wait: Optional[Callable[[float, Optional[PetstoreError]], None]]
    #: The error of the previous attempt.
    last: Optional[PetstoreError] = None


class _Waiter:
    """A call that waits to enter. Changes are guarded by the gate's lock."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.outcome: Union[_Entered, PetstoreError, None] = None
        self._wakes_at = math.inf
        self._reported_until = -math.inf
        self._report: Optional[Callable[[], None]] = None

    def settle(self, outcome: Union[_Entered, PetstoreError]) -> None:
        self.outcome = outcome
        self.entry.signal.set()

    def wake_at(self, at: float) -> None:
        """Makes the call check the gate again at this time."""
        is_earlier, self._wakes_at = at < self._wakes_at, at
        if is_earlier:
            self.entry.signal.set()

    def report(self, until: float, error: Optional[PetstoreError]) -> None:
        """Makes the call run its hook."""
        on_wait = self.entry.on_wait
        if on_wait and until > self._reported_until + _MIN_EXTENSION:
            self._reported_until = until
            self._report = partial(on_wait, until, error)
            self.entry.signal.set()

    async def wait(self, now: float, lock: threading.RLock) -> None:
        with lock:
            report, self._report = self._report, None
        if report:
            # Without the lock: a hook may take long, or ask the client for its rate limit.
            report()
        else:
            wakes_at = min(self._wakes_at, self.entry.deadline)
            await self.entry.signal.wait(max(0.0, wakes_at - now))


class _Entered:
    pass


_ENTERED = _Entered()


class Gate:
    """
    All calls with one key pass through its gate, in the order in which they were made. A retry
    joins the end of the queue. The gate holds calls back

    - after a refusal, until the time that it gives. After further refusals in a row, the gate waits
      a minute longer, then two, then four.
    - until the reset, if no calls remain.
    - while as many calls are under way as remain, so that no call is sent only to be refused. While
      the number of remaining calls is unknown, one call goes ahead of the others.
    - while as many calls are under way as an asynchronous client carries out at once.

    An operator may lift a ban or upgrade a plan earlier. The gate sends no calls to check for that:
    several processes with the same key would get it banned.
    """

    def __init__(self, clock: Clock, random: Random) -> None:
        self._clock = clock
        self._random = random
        self._lock = _new_lock()
        self._quota = Quota()
        # An ordered set.
        self._waiting: dict[_Waiter, None] = {}
        self._underway = 0
        self._last_entry_at = -math.inf
        # The end of the longest wait, and the refusal that causes it.
        self._closing: Optional[tuple[float, Refusal]] = None
        # Consecutive refusals by the limits.
        self._refusals = 0
        # How long the gate waited after the last refusal without Retry-After.
        self._guessed = 0.0
        # The opening time for which waiting calls were last checked.
        self._checked_for = -math.inf
        self._is_reached = False
        on_fork(self)

    @property
    def rate_limit(self) -> Optional[RateLimit]:
        return self._quota.rate_limit

    @property
    def is_reached(self) -> bool:
        """Whether anything has ever answered at the address."""
        return self._is_reached

    def note_reached(self) -> None:
        self._is_reached = True

    async def enter(self, entry: Entry) -> None:
        """
        Returns when the call may be sent. The caller must then call `leave`.

        :raises PetstoreError: immediately if the gate will open too late
        """
        waiter = _Waiter(entry)
        try:
            with self._lock:
                self._waiting[waiter] = None
                opens_at = self._opens_at(self._clock.now())
                if opens_at > self._clock.now():
                    self._hold_back(waiter, opens_at)
                self._admit()
            while waiter.outcome is None:
                await waiter.wait(self._clock.now(), self._lock)
                with self._lock:
                    if waiter.outcome is None and entry.deadline <= self._clock.now():
                        self._settle(waiter, _not_sent())
                    self._admit()
        except BaseException:
            # Such as KeyboardInterrupt or CancelledError, which can come while the call waits.
            with self._lock:
                self._waiting.pop(waiter, None)
                if waiter.outcome is _ENTERED:
                    self._underway -= 1
                self._admit()
            raise
        if isinstance(waiter.outcome, PetstoreError):
            raise waiter.outcome

    def leave(
        self, sent_at: float, answer: Optional[Answer], error: Optional[PetstoreError]
    ) -> None:
        """
        Must be called when a call that has entered ends.

        :param sent_at: when it entered, by the clock
        :param answer: None if there was none; then it is unknown whether the call was counted
        :param error: None after a success
        """
        with self._lock:
            ended_at = self._clock.now()
            self._underway -= 1
            if answer:
                self._learn(answer, error, Time(sent_at, ended_at))
            else:
                self._quota.note_uncertain(ended_at)
            self._admit()

    def after_fork(self) -> None:
        # The calls that wait or are under way exist only in the parent.
        self._lock = _new_lock()
        self._waiting = {}
        self._underway = 0

    def _learn(self, answer: Answer, error: Optional[PetstoreError], time: Time) -> None:
        status = answer.status
        is_after_closing = time.sent_at >= self._opens_after_refusal()
        if is_after_closing and status < 500 and status != 429:
            self._refusals = 0
        self._quota.learn(answer, isinstance(error, BannedError), time)
        if not closes_gate(answer) or not isinstance(error, _REFUSALS):
            return
        pause = min(self._pause_after(answer, is_after_closing), answer.max_wait)
        opens_at = time.ended_at + with_jitter(pause, self._random)
        if pause > 0 and opens_at > self._opens_after_refusal():
            self._closing = (opens_at, error)

    def _pause_after(self, answer: Answer, is_after_closing: bool) -> float:
        """
        If the limits refuse several calls that were under way together, that counts as one refusal.
        """
        retry_after = believed_retry_after(answer)
        if answer.status != 429 and retry_after:
            return retry_after
        if is_after_closing:
            self._refusals += 1
        if retry_after:
            return pause_after_refusal(retry_after, self._refusals - 1)
        if not is_after_closing:
            return 0.0
        self._guessed = guess_pause(self._guessed, self._refusals > 1)
        return self._guessed

    def _admit(self) -> None:
        """Admits all calls that may enter now, and sets when the next one checks again."""
        now = self._clock.now()
        self._hold_back_all(now)
        while self._waiting:
            waiter = next(iter(self._waiting))
            if waiter.entry.deadline <= now:
                self._settle(waiter, _not_sent())
                continue
            paced_at = self._paced_at(waiter.entry, now)
            opens_at = max(self._opens_at(now), self._room_at(waiter.entry, now), paced_at)
            if opens_at > now:
                if opens_at == paced_at:
                    waiter.report(paced_at, None)
                waiter.wake_at(opens_at)
                return
            self._underway += 1
            self._last_entry_at = now
            self._settle(waiter, _ENTERED)

    def _settle(self, waiter: _Waiter, outcome: Union[_Entered, PetstoreError]) -> None:
        self._waiting.pop(waiter, None)
        waiter.settle(outcome)

    def _paced_at(self, entry: Entry, now: float) -> float:
        if not entry.is_paced:
            return -math.inf
        return self._quota.pace_from(self._last_entry_at, self._underway, now)

    def _room_at(self, entry: Entry, now: float) -> float:
        """When one more call may be under way."""
        if self._underway == 0:
            return now
        # The next call that ends makes room.
        if self._underway >= entry.max_underway:
            return math.inf
        # Wait for the next answer, or else for the end of the window.
        if self._underway >= self._quota.remaining(now):
            return self._quota.known_until
        # No call was sent since the last answer: this one goes ahead.
        if self._quota.is_fresh(now) or self._last_entry_at < self._quota.learned_at:
            return now
        # One call that hangs must not stop all others.
        return self._last_entry_at + _MAX_LEAD

    def _opens_at(self, now: float) -> float:
        """When calls are no longer held back, as far as is known."""
        return max(self._opens_after_refusal(), self._quota.used_up_until(now))

    def _opens_after_refusal(self) -> float:
        return self._closing[0] if self._closing else -math.inf

    def _hold_back_all(self, now: float) -> None:
        """
        Immediately rejects calls that cannot wait until the gate opens, and reports the wait to the
        others.
        """
        opens_at = self._opens_at(now)
        if opens_at <= now or opens_at == self._checked_for:
            return
        self._checked_for = opens_at
        for waiter in list(self._waiting):
            self._hold_back(waiter, opens_at)

    def _hold_back(self, waiter: _Waiter, opens_at: float) -> None:
        entry = waiter.entry
        if opens_at >= entry.deadline:
            self._settle(waiter, self._refusal_until(opens_at, entry.last))
        elif entry.on_wait:
            waiter.report(opens_at, self._refusal_until(opens_at, entry.last))

    def _refusal_until(self, opens_at: float, last: Optional[PetstoreError]) -> Refusal:
        retry_at = date_of(self._clock, opens_at)
        closing = self._closing[1] if self._closing and self._closing[0] >= opens_at else None
        if isinstance(last, _REFUSALS):
            if last.code == (closing.code if closing else _USED_UP):
                return refuse_until(retry_at, last, last.message, last.request_id)
        until = retry_at.isoformat(timespec='seconds').replace('+00:00', 'Z')
        if closing:
            message = f'Not sent: calls with this key must wait until {until}. {closing.message}'
            return refuse_until(retry_at, closing, message, None)
        return RateLimitError(
            f'No calls remain until {until}.', code=_USED_UP, status=429, retry_at=retry_at
        )


_REFUSALS = (RateLimitError, BannedError, ServiceError)

# How long one call goes ahead of the others, in seconds.
_MAX_LEAD = 5.0

# Refusals that arrive together differ by their jitter. A wait that is extended by no more than this
# is not reported again.
_MIN_EXTENSION = 1.0

_USED_UP = 'rate_limit_exceeded'


def _new_lock() -> threading.RLock:
    # Garbage collection can end a forgotten call at any time, even while its thread has the lock.
    return threading.RLock()


def _not_sent() -> TimeoutError:
    return TimeoutError('The call timed out before it could be sent.', code='timeout')
