from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Callable

from ._clock import MAX_WAIT
from ._exchange import Exchange
from ._fork import on_fork
from ._http import Connections, HttpRequest, HttpResponse


class AsyncIo:
    """
    Waits in the event loop, and sends each request in a thread. The threads belong to no event
    loop, so a client works in any number of them.
    """

    #: Each has a thread.
    max_underway = 64.0

    _lock: threading.Lock
    _threads: ThreadPoolExecutor

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.after_fork()
        on_fork(self)

    async def send(
        self, request: HttpRequest, timeout: float, on_head: Callable[[], object]
    ) -> HttpResponse:
        exchange = Exchange(timeout)
        with self._lock:
            sending = self._threads.submit(self._connections.send, request, exchange, on_head)
        try:
            return await asyncio.wrap_future(sending)
        except BaseException:
            exchange.cancel()
            raise

    def close(self) -> None:
        self._connections.close()
        with self._lock:
            threads, self._threads = self._threads, self._new_threads()
        # Those that are sending end afterwards.
        threads.shutdown(wait=False)

    def after_fork(self) -> None:
        # The threads of the parent exist only there.
        self._lock = threading.Lock()
        self._threads = self._new_threads()

    def _new_threads(self) -> ThreadPoolExecutor:
        """They start when they are needed."""
        return ThreadPoolExecutor(int(self.max_underway), 'petstore')

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
            # The loop was closed with this call in it; the calls of others continue.
            pass

    async def wait(self, seconds: float) -> None:
        # Not `asyncio.wait_for`: before Python 3.12, it can miss that the task is cancelled.
        timer = self._loop.call_later(min(seconds, MAX_WAIT), self._event.set)
        try:
            await self._event.wait()
        finally:
            timer.cancel()
        self._event.clear()
