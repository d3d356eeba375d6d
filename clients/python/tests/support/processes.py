"""Clients on a model of the service."""

from __future__ import annotations

from typing import Awaitable, Callable, Optional

from petstore_client._gate import Gate
from petstore_client._hooks import Hooks
from petstore_client._http import HttpRequest, HttpResponse
from petstore_client._io import Signal
from petstore_client._retry import DEFAULT_MAX_WAIT
from petstore_client._transport import CallOptions, Transport, TransportOptions

from .fake_clock import FakeClock
from .model_network import ModelNetwork, Trip
from .model_service import ModelService

LIST = HttpRequest('GET', '/pets', {}, None)
Send = Callable[[HttpRequest, float, Callable[[], object]], Awaitable[HttpResponse]]


class FakeIo:
    """Waits on a fake clock, and sends over a fake network."""

    def __init__(self, clock: FakeClock, send: Send) -> None:
        self.max_underway = clock.max_underway
        self._clock = clock
        self._send = send

    async def send(
        self, request: HttpRequest, timeout: float, on_head: Callable[[], object]
    ) -> HttpResponse:
        return await self._send(request, timeout, on_head)

    def close(self) -> None: ...

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)

    def signal(self) -> Signal:
        return self._clock.signal()


def transport_on(
    clock: FakeClock,
    send: Send,
    share: float = 0.0,
    *,
    gate: Optional[Gate] = None,
    is_paced: bool = False,
    hooks: Hooks = Hooks(),
    timeout: float = 90.0,
    attempt_timeout: float = 30.0,
    max_retries: float = float('inf'),
    max_wait: float = DEFAULT_MAX_WAIT,
    base_url: str = 'https://petstore.example/v1',
) -> Transport:
    """:param share: what the random numbers are"""
    return Transport(
        TransportOptions(
            base_url=base_url,
            io=FakeIo(clock, send),
            timeout=timeout,
            attempt_timeout=attempt_timeout,
            max_retries=max_retries,
            max_wait=max_wait,
            is_paced=is_paced,
            hooks=hooks,
            gate=gate or Gate(clock, lambda: share),
            clock=clock,
            random=lambda: share,
        )
    )


class Process:
    """A process that calls the service over its own network."""

    def __init__(
        self,
        clock: FakeClock,
        service: ModelService,
        next_trip: Callable[[], Trip] = Trip,
        share: float = 0.0,
    ) -> None:
        self.network = ModelNetwork(clock, service, next_trip)
        self.gate = Gate(clock, lambda: share)
        self._transports = {
            is_paced: transport_on(
                clock, self.network.send, share, gate=self.gate, is_paced=is_paced
            )
            for is_paced in (False, True)
        }

    async def call(self, timeout: float = 90.0, is_paced: bool = False) -> None:
        await self._transports[is_paced].call(LIST, CallOptions(timeout))
