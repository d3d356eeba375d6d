"""The network between one process and a model of the service."""

from __future__ import annotations

import threading
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from petstore_client._http import HttpFailure, HttpRequest, HttpResponse

from .fake_clock import FakeClock
from .model_service import ModelService, Reply


class Trip(NamedTuple):
    """What happens to one request."""

    to_service: float = 0.02
    back: float = 0.02
    #: `request lost`, `answer lost`, `hangs` (never answered), `bare` (the answer has lost its
    #: headers on the way), `502` or `503` (answers that do not come from the service).
    fault: Optional[str] = None


class ModelNetwork:
    """
    Sends the requests of one process. It records violations: a request that is sent earlier than an
    answer allowed, or while as many are under way as remain according to the answers.
    """

    def __init__(
        self, clock: FakeClock, service: ModelService, next_trip: Callable[[], Trip]
    ) -> None:
        self.violations: List[str] = []
        self.sent_at: List[float] = []
        self.statuses: List[int] = []
        self._clock = clock
        self._service = service
        self._next_trip = next_trip
        self._lock = threading.Lock()
        # By window: when it was learned, the calls that remain, and when it resets.
        self._known: Dict[str, Tuple[float, int, float]] = {}
        # When it was learned, and until when to wait.
        self._closed: Tuple[float, float] = (0.0, 0.0)
        self._underway = 0

    async def send(
        self, request: HttpRequest, timeout: float, on_head: Callable[[], object]
    ) -> HttpResponse:
        deadline = self._clock.now() + timeout
        with self._lock:
            self._note_request()
            to_service, back, fault = self._next_trip()
        try:
            await self._travel(to_service, deadline)
            if fault == 'request lost':
                raise HttpFailure('the request was lost')
            reply = self._service.answer(self._clock.now())
            if reply.response.status == 429 and fault != 'bare':
                # The client cannot obey a refusal that it never receives.
                fault = None
            await self._travel(3_600_000 if fault == 'hangs' else back, deadline)
            if fault == 'answer lost':
                raise HttpFailure('the answer was lost')
            on_head()
        except HttpFailure:
            with self._lock:
                self._underway -= 1
            raise
        with self._lock:
            self._underway -= 1
            return self._deliver(reply, _faulty(reply.response, fault))

    async def _travel(self, seconds: float, deadline: float) -> None:
        now = self._clock.now()
        await self._clock.sleep(min(seconds, deadline - now))
        if now + seconds >= deadline:
            raise HttpFailure('no response arrived in time', is_timeout=True)

    def _note_request(self) -> None:
        now = self._clock.now()
        # What was learned at this very moment may not have reached the gate.
        learned_at, opens_at = self._closed
        if learned_at < now < opens_at - EPSILON:
            self.violations.append(f'sent at {now}, but must wait until {opens_at}')
        for name, (learned_at, remaining, resets_at) in self._known.items():
            if learned_at < now < resets_at - EPSILON and self._underway >= remaining:
                self.violations.append(
                    f'sent at {now} beside {self._underway}, and {remaining} remain of the {name}'
                )
        self.sent_at.append(now)
        self._underway += 1

    def _deliver(self, reply: Reply, response: HttpResponse) -> HttpResponse:
        now = self._clock.now()
        self.statuses.append(response.status)
        opens_at = now + int(response.headers.get('retry-after', 0))
        if opens_at > max(now, self._closed[1]):
            self._closed = (now, opens_at)
        if not reply.is_ban and 'ratelimit' in response.headers:
            for name, limit, used, resets_at in reply.windows:
                known = self._known.get(name)
                if known and known[2] > resets_at:
                    continue
                remaining = limit - used
                if known and known[2] == resets_at:
                    remaining = min(known[1], remaining)
                self._known[name] = (now, remaining, resets_at)
        return response


EPSILON = 1e-6


def _faulty(response: HttpResponse, fault: Optional[str]) -> HttpResponse:
    """What happens to an answer on its way."""
    if fault == 'bare':
        return HttpResponse(response.status, {'link': ''}, response.body)
    if fault == '502':
        return HttpResponse(502, {}, b'<html>')
    if fault == '503':
        return HttpResponse(503, {'retry-after': '2'}, b'{}')
    return response
