from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Callable, Mapping, Optional, TypeVar

from ._errors import PetstoreError


@dataclass(frozen=True)
class RequestEvent:
    """A request that is about to be sent."""

    #: `GET` or `POST`.
    method: str
    url: str
    #: 1 for the first request of a call, 2 for its first retry.
    attempt: int
    #: `X-Request-Id`; each attempt has its own.
    request_id: str


@dataclass(frozen=True)
class ResponseEvent:
    """A request whose response is complete, or has failed to arrive."""

    #: `GET` or `POST`.
    method: str
    url: str
    #: 1 for the first request of a call, 2 for its first retry.
    attempt: int
    #: `X-Request-Id`; each attempt has its own.
    request_id: str
    #: None if no complete response arrived.
    status: Optional[int]
    #: Of the response, by name in lower case. None if no complete response arrived.
    headers: Optional[Mapping[str, str]]
    #: In seconds.
    duration: float
    #: None after a success. If the call is not repeated, it raises this error.
    error: Optional[PetstoreError]


@dataclass(frozen=True)
class WaitEvent:
    """A call that must wait before it is sent, or sent again."""

    #: `GET` or `POST`.
    method: str
    url: str
    #: Of the request that waits: 1 for the first request of a call, 2 for its first retry.
    attempt: int
    #: In seconds.
    wait: float
    #: The end of the wait, in UTC. Later refusals can extend it; if they do by more than a second,
    #: the hook is called again.
    until: datetime
    #: Why the call waits; None if the client only spreads its calls (`is_paced`).
    error: Optional[PetstoreError]


@dataclass(frozen=True)
class Hooks:
    on_request: Optional[Callable[[RequestEvent], object]] = None
    on_response: Optional[Callable[[ResponseEvent], object]] = None
    on_wait: Optional[Callable[[WaitEvent], object]] = None


_Event = TypeVar('_Event')
_logger = logging.getLogger('petstore_client')


def notify(hook: Optional[Callable[[_Event], object]], event: _Event) -> None:
    """Calls a hook. Its errors are logged, because a hook must not affect the call."""
    if not hook:
        return
    try:
        hook(event)
    except Exception:
        _logger.exception('A hook raised an error.')
