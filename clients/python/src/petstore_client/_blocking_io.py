from __future__ import annotations

import math
import threading
import time
from typing import Any, Callable, Coroutine, TypeVar

from ._clock import MAX_WAIT
from ._exchange import Exchange
from ._http import Connections, HttpRequest, HttpResponse

T = TypeVar('T')


def run(call: Coroutine[Any, Any, T]) -> T:
    """Runs a call that blocks this thread where others suspend."""
    try:
        call.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError('A blocking call must not suspend.')


class BlockingIo:
    """Sends and waits in the thread of the call."""

    max_underway = math.inf

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def send(
        self, request: HttpRequest, timeout: float, on_head: Callable[[], object]
    ) -> HttpResponse:
        return self._connections.send(request, Exchange(timeout), on_head)

    def close(self) -> None:
        self._connections.close()

    async def sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, MAX_WAIT))

    def signal(self) -> _ThreadSignal:
        return _ThreadSignal()


class _ThreadSignal:
    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    async def wait(self, seconds: float) -> None:
        self._event.wait(min(seconds, MAX_WAIT))
        self._event.clear()
