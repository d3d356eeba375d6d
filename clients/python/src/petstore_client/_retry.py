from __future__ import annotations

import math
from typing import Callable, Optional

from ._answer import Answer, believed_retry_after, retry_after_of
from ._errors import PetstoreError
from ._rate_limit import MAX_WINDOW

# How often a call is sent again while nothing has ever answered at its address: often enough to
# survive a broken connection, but rarely enough to report a mistyped address within two seconds.
MAX_FIRST_CONTACT_RETRIES = 3

_FIRST_BACK_OFF = 0.25
_MAX_BACK_OFF = 30.0
# For refusals without Retry-After. A minute is enough for the window that causes most of them.
_MIN_GUESS = 1.0
_MAX_FIRST_GUESS = 60.0
# Added after consecutive refusals, and doubled each time, so that processes that share a key do not
# earn a ban together.
_FIRST_ADDITION = 60.0
_MAX_ADDITION = 300.0
# The maximum jitter of a pause: as a share of the pause, and in total.
_JITTER_SHARE = 0.1
_MAX_JITTER = 1.0

#: Long enough for every window and every ban.
DEFAULT_MAX_WAIT = float(MAX_WINDOW)

#: From 0 to below 1.
Random = Callable[[], float]


def is_transient(answer: Answer, error: PetstoreError) -> bool:
    """
    Whether a refused call may be sent again unchanged. A creation may, because it has an
    Idempotency-Key; all other calls change nothing.
    """
    status = answer.status
    return status >= 500 or status in (408, 429) or error.code == 'idempotency_in_progress'


def closes_gate(answer: Answer) -> bool:
    """Whether this answer makes all calls with the key wait, and not only the one that got it."""
    return answer.status == 429 or (answer.status == 503 and bool(retry_after_of(answer)))


def pause_before(attempt: int, answer: Optional[Answer], random: Random) -> float:
    """
    Seconds to wait before a call is sent again: Retry-After if the answer has it, else exponential
    back-off with full jitter. 0 if the call waits at the gate.

    :param attempt: how many times the call has been sent
    """
    if answer and closes_gate(answer):
        return 0.0
    retry_after = believed_retry_after(answer) if answer else None
    if retry_after:
        return with_jitter(retry_after, random)
    # The exponent is limited because a huge one does not fit into a float.
    return random() * min(_FIRST_BACK_OFF * 2.0 ** min(attempt - 1, 20), _MAX_BACK_OFF)


def pause_after_refusal(retry_after: float, refusals: int) -> float:
    """
    Retry-After, and longer after consecutive refusals: because other processes with the key are
    faster, this process leaves them the next minute, then two, then four. If several processes
    waited for Retry-After alone, they could get the key banned.

    :param refusals: the number of refusals in a row before this one
    """
    addition = (
        min(_FIRST_ADDITION * 2.0 ** min(refusals - 1, 20), _MAX_ADDITION) if refusals else 0.0
    )
    return retry_after + addition


def with_jitter(pause: float, random: Random) -> float:
    """So that callers do not all come back at the same moment."""
    return pause + random() * min(pause * _JITTER_SHARE, _MAX_JITTER)


def guess_pause(last: float, is_repeated: bool) -> float:
    """
    Seconds that all calls with a key wait after a refusal by the limits without Retry-After: as
    long as the last time, because starting small each time would cause a ban.

    :param last: the last such pause; 0 if there was none
    :param is_repeated: whether no call was admitted since the last refusal; then the pause is twice
        as long
    """
    if is_repeated:
        return min(max(2 * last, _MIN_GUESS), _MAX_ADDITION)
    return min(max(last, _MIN_GUESS), _MAX_FIRST_GUESS)


def parse_max_retries(count: float) -> float:
    """
    :raises TypeError: if this is not a number
    :raises ValueError: if it is not a count
    """
    if isinstance(count, bool) or not isinstance(count, (int, float)):
        raise TypeError(f'max_retries must be an integer, not {type(count).__name__}.')
    if not count >= 0 or not (count == math.inf or count == int(count)):
        raise ValueError(
            f'max_retries must be an integer from 0 upwards, or math.inf; it is {count}.'
        )
    return count
