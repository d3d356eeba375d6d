from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future
from typing import Callable

from ._clock import MAX_WAIT
from ._exchange import Exchange
from ._http import Connections, HttpRequest, HttpResponse


class AsyncIo:
    """
    Waits in the event loop, and sends each request in a thread of its own, which ends with the
    response. The threads belong to no event loop, so a client works in any number of them.
    """

    #: Each has a thread.
    max_underway = 64.0

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def send(
        self, request: HttpRequest, timeout: float, on_head: Callable[[], object]
    ) -> HttpResponse:
        exchange = Exchange(timeout)
        future: Future[HttpResponse] = Future()
        # It can then no longer be cancelled, so the thread can always set its result.
        future.set_running_or_notify_cancel()

        def send() -> None:
            try:
                future.set_result(self._connections.send(request, exchange, on_head))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=send, name='petstore request', daemon=True).start()
        try:
            return await asyncio.wrap_future(future)
        except BaseException:
            exchange.cancel()
            raise

    async def sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            await asyncio.sleep(min(left, MAX_WAIT))

    def signal(self) -> AsyncSignal:
        return AsyncSignal()


class AsyncSignal:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def set(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._event.set)
        except RuntimeError:
            # The loop was closed with this call in it; the calls of others go on.
            pass

    async def wait(self, seconds: float) -> None:
        # Not `asyncio.wait_for`: before Python 3.12, it can miss that the task is cancelled.
        timer = self._loop.call_later(min(seconds, MAX_WAIT), self._event.set)
        try:
            await self._event.wait()
        finally:
            timer.cancel()
        self._event.clear()
