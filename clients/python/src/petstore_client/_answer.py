from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Mapping, Optional, cast
from urllib.parse import urlsplit

from ._clock import date_from_unix
from ._errors import (
    ApiKeyError,
    BannedError,
    InvalidRequestError,
    NotFoundError,
    PetstoreError,
    RateLimitError,
    ScopeError,
    ServiceError,
    TimeoutError,
)


@dataclass(frozen=True)
class Answer:
    """A response of the service."""

    status: int
    #: By name in lower case.
    headers: Mapping[str, str]
    body: bytes
    #: Unix seconds, by this machine's wall clock.
    received_at: float
    #: The service's id of the request, or else the one that the client sent.
    request_id: str
    #: The base address that was called.
    base_url: str
    #: How long it may hold back calls at most, in seconds: the client's setting.
    max_wait: float


def body_of(answer: Answer) -> Any:
    """The JSON of an answer."""
    try:
        return _parse(answer.body)
    except ValueError as cause:
        raise unexpected(answer) from cause


def error_of(answer: Answer) -> PetstoreError:
    """The error for an answer that is not a success."""
    status, request_id = answer.status, answer.request_id
    refusal = _refusal_of(answer)
    if status == 429:
        code, message = refusal or (_UNEXPECTED, _NOT_A_PETSTORE)
        kind = BannedError if code == 'api_key_banned' else RateLimitError
        return kind(
            message,
            code=code,
            status=status,
            request_id=request_id,
            retry_at=_retry_at(answer) or date_from_unix(answer.received_at),
            retry_after=retry_after_of(answer),
        )
    if not refusal:
        return unexpected(answer)
    code, message = refusal
    if status >= 500:
        return ServiceError(
            message,
            code=code,
            status=status,
            request_id=request_id,
            retry_at=_retry_at(answer),
            retry_after=retry_after_of(answer),
        )
    if code == 'route_not_found':
        message = f'{message} {_hint_of(answer)}'
    error = _KINDS_BY_CODE.get(code, _KINDS_BY_STATUS.get(status, InvalidRequestError))
    return error(message, code=code, status=status, request_id=request_id)


# Codes whose class differs from the one for their status.
_KINDS_BY_CODE: dict[str, type[PetstoreError]] = {
    'idempotency_in_progress': TimeoutError,
    'insufficient_scope': ScopeError,
}
_KINDS_BY_STATUS: dict[int, type[PetstoreError]] = {
    401: ApiKeyError,
    404: NotFoundError,
    408: TimeoutError,
}


def unexpected(answer: Answer) -> ServiceError:
    """The error for an answer that does not come from the service: another server has answered."""
    message = _NOT_A_PETSTORE
    if 300 <= answer.status < 400 and answer.status != 304:
        target = printable(answer.headers.get('location', '')) or 'another address'
        message = f'The response redirects to {target}, which the client does not follow.'
    if answer.status < 500:
        message = f'{message} {_hint_of(answer)}'
    return ServiceError(
        message,
        code=_UNEXPECTED,
        status=answer.status,
        request_id=answer.request_id,
        retry_at=_retry_at(answer),
        retry_after=retry_after_of(answer),
    )


_UNEXPECTED = 'unexpected_answer'
_NOT_A_PETSTORE = 'The response does not come from a Petstore.'


def _hint_of(answer: Answer) -> str:
    """For an address at which there is no Petstore."""
    base_url = answer.base_url
    url = urlsplit(base_url)
    path = re.sub(r'(?i)/(?:v[0-9]+(?:/.*)?|docs)?$', '', url.path)
    likely = f'{url.scheme}://{url.netloc}{path}/v1'
    if likely == base_url:
        return f'Check base_url: {base_url}.'
    return f'base_url is {base_url}; did you mean {likely}?'


def retry_after_of(answer: Answer) -> Optional[float]:
    """
    Seconds of `Retry-After`, given as seconds or as a date (RFC 9110, 10.2.3); None without a valid
    header.
    """
    text = answer.headers.get('retry-after', '')
    if re.fullmatch(r'[0-9]+', text):
        # Python refuses to parse thousands of digits.
        return min(float(text[:20]), _MAX_RETRY_AFTER)
    date = _parse_date(text)
    if date is None:
        return None
    now = _parse_date(answer.headers.get('date', ''))
    return min(max(0.0, date - (answer.received_at if now is None else now)), _MAX_RETRY_AFTER)


def believed_retry_after(answer: Answer) -> Optional[float]:
    """
    Seconds of Retry-After, bounded so that one false answer does not hold back calls for years;
    None without a valid header.
    """
    retry_after, longest = retry_after_of(answer), answer.max_wait
    if not _has_limit_headers(answer):
        longest = min(longest, _MAX_WAIT_FOR_OTHERS)
    return None if retry_after is None else min(retry_after, longest)


def _retry_at(answer: Answer) -> Optional[datetime]:
    """When the client sends calls again."""
    wait = believed_retry_after(answer)
    return None if wait is None else date_from_unix(answer.received_at + wait)


# An answer without the service's headers may come from a proxy or a captive portal, which knows
# little about the service.
_MAX_WAIT_FOR_OTHERS = 120.0

# A hundred years. A much longer time would not fit into a date.
_MAX_RETRY_AFTER = 100 * 365 * 86_400.0


def _has_limit_headers(answer: Answer) -> bool:
    """
    Whether it has the headers of every answer of the service. An answer without them comes from a
    proxy, a captive portal or another server.
    """
    return all(re.fullmatch(r'[0-9]+', answer.headers.get(name, '')) for name in _LIMIT_HEADERS)


_LIMIT_HEADERS = ('x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset')


def _parse_date(text: str) -> Optional[float]:
    """Unix seconds; None if the text is not an HTTP date."""
    if not re.fullmatch(r'[A-Z][a-z]{2}, .* GMT', text):
        return None
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _refusal_of(answer: Answer) -> Optional[tuple[str, str]]:
    try:
        body = _parse(answer.body)
    except ValueError:
        return None
    members = cast(Dict[str, object], body) if isinstance(body, dict) else {}
    code, message = members.get('code'), members.get('message')
    if not isinstance(code, str) or not isinstance(message, str):
        return None
    return printable(code), printable(message)


def printable(text: str) -> str:
    """
    Text from an untrusted server, without characters that control a terminal or the writing
    direction, or that cannot be printed.
    """
    return ''.join(char for char in text if unicodedata.category(char) not in _UNPRINTABLE)


# Control characters, format characters and surrogates.
_UNPRINTABLE = ('Cc', 'Cf', 'Cs')


def _parse(body: bytes) -> Any:
    """:raises ValueError: if this is not JSON"""
    try:
        return json.loads(body.decode('utf-8'))
    except RecursionError as cause:
        raise ValueError('The JSON is nested too deeply.') from cause
