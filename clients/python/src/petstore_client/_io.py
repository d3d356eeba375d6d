from __future__ import annotations

from typing import Callable, Protocol

from ._http import HttpRequest, HttpResponse


class Signal(Protocol):
    """Ends the wait of one call, from any thread."""

    def set(self) -> None: ...

    async def wait(self, seconds: float) -> None:
        """Returns when it is set, or after this time, or earlier. Then it is no longer set."""
        ...


class Io(Protocol):
    """
    How calls send requests and wait. All rules are written as coroutines above this interface. In a
    `Petstore`, they block their thread, and never suspend; in an `AsyncPetstore`, they suspend
    their task.
    """

    #: How many requests with one key it may have under way, whatever the limits.
    max_underway: float

    async def send(
        self, request: HttpRequest, timeout: float, on_head: Callable[[], object]
    ) -> HttpResponse:
        """
        :param timeout: in seconds
        :param on_head: called as soon as the head of any response has arrived, from any thread
        :raises HttpFailure: if there is no complete response in time
        """
        ...

    def close(self) -> None:
        """Closes what is kept for further requests. Calls that are under way continue."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    def signal(self) -> Signal: ...
