from __future__ import annotations

import builtins
from datetime import datetime
from typing import Any, Optional, Union


class PetstoreError(Exception):
    """The base class of all errors of a call."""

    #: For people.
    message: str
    #: For programs: an error code of the service (`ErrorCode`), or this client's `network_error`,
    #: `timeout` or `unexpected_answer`. New codes may be added.
    code: str
    #: The HTTP status; None without a response.
    status: Optional[int]
    #: Quote it when you ask the operator of the service about the call. None if nothing was sent.
    request_id: Optional[str]

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.request_id = request_id

    def __str__(self) -> str:
        """The message, and what the operator needs to find the call. Tracebacks show this."""
        status = '' if self.status is None else f'{self.status} '
        request = '' if self.request_id is None else f', request id {self.request_id}'
        return f'{self.message} ({status}{self.code}{request})'

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled when they leave a worker process. Python would call the class with
        # the message alone.
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[PetstoreError], args: tuple[Any, ...]) -> PetstoreError:
    return kind.__new__(kind, *args)


class ApiKeyError(PetstoreError):
    """
    401: the API key is missing, mistyped, expired or revoked, or belongs to the other deployment.
    """


class ScopeError(PetstoreError):
    """
    403 `insufficient_scope`: the API key can only read. Use a key with the scope `read-write`.
    """


class NotFoundError(PetstoreError):
    """404: the animal or the address does not exist."""


class InvalidRequestError(PetstoreError):
    """400 and most other 4xx: change the call before you repeat it."""


class _RefusedForNowError(PetstoreError):
    def __init__(
        self,
        message: str,
        *,
        code: str,
        retry_at: Optional[datetime],
        retry_after: Optional[float] = None,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(message, code=code, status=status, request_id=request_id)
        self.retry_at: Any = retry_at
        #: `Retry-After` of the response, in seconds; None if there is none. If it is longer than
        #: the client's `max_wait`, the client sends calls again before that.
        self.retry_after: Optional[float] = retry_after


class RateLimitError(_RefusedForNowError):
    """429: the calls of the minute or of the day are used up."""

    #: When calls will be admitted again, in UTC by this machine's clock.
    retry_at: datetime


class BannedError(_RefusedForNowError):
    """429: the key kept calling after 429 responses and is temporarily banned."""

    #: When the ban ends, in UTC by this machine's clock.
    retry_at: datetime


class ServiceError(_RefusedForNowError):
    """5xx, or a response that does not come from the service: not the caller's fault."""

    #: When calls will be admitted again, in UTC by this machine's clock; None if the service has
    #: not said.
    retry_at: Optional[datetime]


class NetworkError(PetstoreError):
    """No response arrived, or only part of it. A creation may have been carried out."""


class TimeoutError(PetstoreError, builtins.TimeoutError):
    """
    The call has run out of time, the service did not receive the request in time (408), or another
    creation with the same key is still in progress (409 `idempotency_in_progress`). A creation may
    have been carried out.

    It is also a built-in `TimeoutError`, so `except TimeoutError` works with or without an import.
    """


#: The errors that make all calls with a key wait.
Refusal = Union[RateLimitError, BannedError, ServiceError]


def refuse_until(
    retry_at: datetime, cause: Refusal, message: str, request_id: Optional[str]
) -> Refusal:
    """The same refusal for a call that cannot wait until `retry_at`."""
    error = type(cause)(
        message,
        code=cause.code,
        status=cause.status,
        retry_at=retry_at,
        retry_after=cause.retry_after,
        request_id=request_id,
    )
    error.__cause__ = cause
    return error
