from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from typing import NamedTuple, Optional

from ._answer import Answer, error_of, printable
from ._clock import Clock, date_of, parse_seconds
from ._errors import NetworkError, PetstoreError, TimeoutError
from ._gate import Entry, Gate
from ._hooks import Hooks, RequestEvent, ResponseEvent, WaitEvent, notify
from ._http import HttpFailure, HttpRequest
from ._io import Io
from ._retry import (
    MAX_FIRST_CONTACT_RETRIES,
    Random,
    is_transient,
    parse_max_retries,
    pause_before,
)


@dataclass(frozen=True)
class CallOptions:
    """Options of a single call. None means the value that is set for the client."""

    timeout: Optional[float] = None
    max_retries: Optional[float] = None


@dataclass(frozen=True)
class TransportOptions:
    #: Without a slash at the end.
    base_url: str
    io: Io
    #: Seconds.
    timeout: float
    attempt_timeout: float
    max_retries: float
    #: Seconds.
    max_wait: float
    is_paced: bool
    hooks: Hooks
    gate: Gate
    clock: Clock
    random: Random


class _Outcome(NamedTuple):
    """The outcome of one attempt: an answer, an error, or both."""

    answer: Optional[Answer]
    error: Optional[PetstoreError]


class Transport:
    """
    Sends calls through the gate of their key, and retries them as long as that can help.
    """

    def __init__(self, options: TransportOptions) -> None:
        self._options = options

    async def call(self, request: HttpRequest, options: CallOptions) -> Answer:
        """
        Sends a request, several times if necessary; it is carried out once.

        :raises PetstoreError: of the last attempt, if there is no time for another one or it could
            not help
        :raises TypeError, ValueError: if an option is not a valid number
        """
        own, clock = self._options, self._options.clock
        timeout = own.timeout if options.timeout is None else options.timeout
        max_retries = own.max_retries if options.max_retries is None else options.max_retries
        deadline = clock.now() + parse_seconds('timeout', timeout)
        max_retries = parse_max_retries(max_retries)
        last: Optional[PetstoreError] = None
        attempt = 1
        while True:
            await self._enter(request, attempt, deadline, last)
            answer, error = await self._attempt(request, attempt, deadline)
            if answer and not error:
                return answer
            assert error
            limit = MAX_FIRST_CONTACT_RETRIES if self._is_first_contact(error) else math.inf
            now = clock.now()
            retry_at = now + pause_before(attempt, answer, own.random)
            if (
                attempt > min(max_retries, limit)
                or not _can_help(answer, error)
                or retry_at >= deadline
            ):
                raise error
            attempt += 1
            self._note_wait(request, attempt, retry_at, error)
            await own.io.sleep(retry_at - now)
            last = error

    async def _enter(
        self, request: HttpRequest, attempt: int, deadline: float, last: Optional[PetstoreError]
    ) -> None:
        def on_wait(until: float, error: Optional[PetstoreError]) -> None:
            self._note_wait(request, attempt, until, error)

        own = self._options
        hook = on_wait if own.hooks.on_wait else None
        entry = Entry(
            deadline, own.is_paced, own.io.max_underway, own.io.signal(), hook, last
        )
        try:
            await own.gate.enter(entry)
        except TimeoutError as error:
            # The error that caused the retry says more.
            raise (last or error) from (last or error).__cause__

    def _is_first_contact(self, error: PetstoreError) -> bool:
        """Whether the address may be wrong: nothing has ever answered there."""
        failure = error.__cause__
        # A server that is too slow is there.
        is_slow = isinstance(failure, HttpFailure) and failure.is_timeout
        return not self._options.gate.is_reached and not is_slow

    async def _attempt(
        self, request: HttpRequest, attempt: int, deadline: float
    ) -> _Outcome:
        gate, clock, hooks = self._options.gate, self._options.clock, self._options.hooks
        url = self._options.base_url + request.path
        request_id = secrets.token_hex(16)
        sent_at = clock.now()
        outcome = _Outcome(None, None)
        try:
            notify(hooks.on_request, RequestEvent(request.method, url, attempt, request_id))
            outcome = await self._exchange(request, request_id, deadline)
        finally:
            # Even if the call was interrupted or cancelled: it is no longer under way.
            gate.leave(sent_at, *outcome)
        answer, error = outcome
        event = ResponseEvent(
            request.method,
            url,
            attempt,
            request_id,
            answer.status if answer else None,
            # A copy: a hook must not change what the call reads.
            dict(answer.headers) if answer else None,
            clock.now() - sent_at,
            error,
        )
        notify(hooks.on_response, event)
        return outcome

    async def _exchange(
        self, request: HttpRequest, request_id: str, deadline: float
    ) -> _Outcome:
        own = self._options
        timeout = min(own.attempt_timeout, deadline - own.clock.now())
        headers = {**request.headers, 'X-Request-Id': request_id}
        sent = HttpRequest(request.method, request.path, headers, request.body)
        try:
            response = await own.io.send(sent, timeout, own.gate.note_reached)
        except HttpFailure as failure:
            return _Outcome(None, self._error_without_answer(failure, request_id, deadline))
        answer = Answer(
            response.status,
            response.headers,
            response.body,
            own.clock.time(),
            printable(response.headers.get('x-request-id', '')) or request_id,
            own.base_url,
            own.max_wait,
        )
        return _Outcome(answer, None if 200 <= answer.status < 300 else error_of(answer))

    def _error_without_answer(
        self, failure: HttpFailure, request_id: str, deadline: float
    ) -> PetstoreError:
        own = self._options
        error: PetstoreError
        if own.clock.now() >= deadline:
            message = 'The call timed out. It may have been carried out.'
            error = TimeoutError(message, code='timeout', request_id=request_id)
        else:
            message = (
                f'No complete response arrived from {own.base_url}: {failure}.'
                if own.gate.is_reached
                else f'{own.base_url} could not be reached: {failure}. Check base_url.'
            )
            error = NetworkError(message, code='network_error', request_id=request_id)
        error.__cause__ = failure
        return error

    def _note_wait(
        self, request: HttpRequest, attempt: int, until: float, error: Optional[PetstoreError]
    ) -> None:
        clock = self._options.clock
        wait = until - clock.now()
        if wait <= 0:
            return
        url = self._options.base_url + request.path
        event = WaitEvent(request.method, url, attempt, wait, date_of(clock, until), error)
        notify(self._options.hooks.on_wait, event)


def _can_help(answer: Optional[Answer], error: PetstoreError) -> bool:
    """Whether a retry can help."""
    if answer:
        return is_transient(answer, error)
    return not (isinstance(error.__cause__, HttpFailure) and error.__cause__.is_permanent)
