from __future__ import annotations

import inspect
import math
import random
import re
import ssl
from functools import cached_property
from types import TracebackType
from typing import Callable, ClassVar, NoReturn, Optional, Union
from urllib.parse import urlsplit

from ._api_key import check_key
from ._async_io import AsyncIo
from ._blocking_io import BlockingIo
from ._clock import SYSTEM_CLOCK, parse_seconds
from ._gate_registry import gate_of
from ._hooks import Hooks, RequestEvent, ResponseEvent, WaitEvent
from ._http import Connections
from ._io import Io
from ._pets import AsyncPets, Pets
from ._rate_limit import RateLimit
from ._retry import DEFAULT_MAX_WAIT, parse_max_retries
from ._secret import Secret
from ._transport import Transport, TransportOptions


class _Client:
    """The parts of a client that do no I/O."""

    _io_class: ClassVar[Union[type[BlockingIo], type[AsyncIo]]]
    # Debuggers may also show a client whose options turn out to be wrong.
    _base_url = ''

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        timeout: float = 90.0,
        attempt_timeout: float = 30.0,
        max_retries: float = math.inf,
        max_wait: float = DEFAULT_MAX_WAIT,
        is_paced: bool = False,
        ssl_context: Optional[ssl.SSLContext] = None,
        on_request: Optional[Callable[[RequestEvent], object]] = None,
        on_response: Optional[Callable[[ResponseEvent], object]] = None,
        on_wait: Optional[Callable[[WaitEvent], object]] = None,
    ) -> None:
        key = Secret(api_key)
        # A wrong option raises an error below, and its traceback can show variables.
        del api_key
        self._base_url = _parse_base_url(base_url)
        check_key(key)
        self._gate = gate_of(self._base_url, key.reveal())
        authorization = Secret(f'Bearer {key.reveal()}')
        self._connections = Connections(self._base_url, authorization, ssl_context)
        self._io: Io = self._io_class(self._connections)
        self._transport = Transport(
            TransportOptions(
                base_url=self._base_url,
                io=self._io,
                timeout=_parse_timeout('timeout', timeout),
                attempt_timeout=_parse_timeout('attempt_timeout', attempt_timeout),
                max_retries=parse_max_retries(max_retries),
                max_wait=_parse_timeout('max_wait', max_wait),
                is_paced=is_paced,
                hooks=_parse_hooks(Hooks(on_request, on_response, on_wait)),
                gate=self._gate,
                clock=SYSTEM_CLOCK,
                random=random.random,
            )
        )

    @property
    def rate_limit(self) -> Optional[RateLimit]:
        """The remaining calls, as of the last response; None before the first response."""
        return self._gate.rate_limit

    def __reduce__(self) -> NoReturn:
        raise TypeError('A client cannot be pickled or copied: create one in each process.')

    def __repr__(self) -> str:
        return f'{type(self).__name__}(base_url={self._base_url!r})'


class Petstore(_Client):
    """
    A client of one deployment, with one API key. Threads may share it. All clients in a process
    that use the same key share one queue of calls.

    :param base_url: the address with the version, such as https://petstore.example/v1
    :param api_key: `petstore_live_…` for production, `petstore_test_…` for staging
    :param timeout: maximum duration of a call in seconds, including retries and waits. The default
        of 90 is long enough for the next minute to begin when the calls of this one are used up.
        When you iterate over a list, each page may take this long.
    :param attempt_timeout: maximum time to wait for a single response, in seconds
    :param max_retries: how often a call may be sent again; by default, only `timeout` limits this
    :param max_wait: how long a single response may hold back the calls with the key at most, in
        seconds, whatever it says. The default of 25 hours is long enough for every window and ban.
        A 429 or 503 without the service's `X-RateLimit-*` headers comes from another server, such
        as a proxy, and never holds back calls for more than two minutes.
    :param is_paced: once half of the minute's calls are used, spread the others over the rest of
        the minute, instead of using them up and then waiting
    :param ssl_context: for example, for your own certificate authority
    :param on_request: called for each request, before it is sent
    :param on_response: called once for each request, when its response is complete or has failed
        to arrive
    :param on_wait: called when a call must wait before it is sent, or sent again; not called when
        it only queues behind other calls
    :raises TypeError: if an option has a wrong type
    :raises ValueError: if the address, the key or a number is not valid
    """

    _io_class = BlockingIo

    @cached_property
    def pets(self) -> Pets:
        """The animals in the catalogue."""
        return Pets(self._transport)

    def close(self) -> None:
        """Closes the connections that are kept open between calls. The client stays usable."""
        self._io.close()

    def __enter__(self) -> Petstore:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()


#: The only name until 1.1. It stays until 2.0.
PetstoreClient = Petstore


class AsyncPetstore(_Client):
    """
    The same client for `asyncio`. Its options are those of `Petstore`, and it shares the queue of
    calls with all other clients of the process that use the same key, whatever their class. Waits
    do not block the event loop, and a call that is cancelled sends nothing more. Event loops in
    several threads may share it.
    """

    _io_class = AsyncIo

    @cached_property
    def pets(self) -> AsyncPets:
        """The animals in the catalogue."""
        return AsyncPets(self._transport)

    async def close(self) -> None:
        """Closes the connections that are kept open between calls. The client stays usable."""
        self._io.close()

    async def __aenter__(self) -> AsyncPetstore:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()


def _parse_base_url(text: str) -> str:
    try:
        url = urlsplit(text)
        is_valid = (
            url.scheme in ('http', 'https')
            and bool(url.hostname)
            and url.port != 0
            and url.username is None
            # Paths are appended to it, so it must not have a query or fragment.
            and not re.search(r'[?#]|[^\x21-\x7e]', text)
        )
    except (ValueError, AttributeError, TypeError):
        is_valid = False
    if not is_valid:
        raise ValueError('base_url must be an address such as https://petstore.example/v1.')
    return text.rstrip('/')


def _parse_hooks(hooks: Hooks) -> Hooks:
    for name, hook in vars(hooks).items():
        if hook is not None and not callable(hook):
            raise TypeError(f'{name} must be a function, not {type(hook).__name__}.')
        if inspect.iscoroutinefunction(hook):
            raise TypeError(f'{name} must be a function that is not async.')
    return hooks


def _parse_timeout(name: str, seconds: float) -> float:
    if parse_seconds(name, seconds) <= 0:
        raise ValueError(f'{name} must be above 0; it is {seconds}.')
    return seconds
