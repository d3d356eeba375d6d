from __future__ import annotations

import json
import operator
import re
import secrets
from dataclasses import dataclass
from functools import partial
from typing import Callable, Dict, Generic, NamedTuple, Optional, Sequence, TypeVar, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from ._answer import Answer, body_of, unexpected
from ._deprecation import warn_if_deprecated
from ._http import HttpRequest
from ._openapi import Pet, PetStatus
from ._transport import CallOptions, Transport
from ._version import __version__

T = TypeVar('T')


@dataclass(frozen=True)
class Operation(Generic[T]):
    """An operation of the service with its values."""

    #: In this package.
    name: str
    request: HttpRequest
    #: Reads the result from a success; raises ServiceError.
    read: Callable[[Answer], T]


class Listed(NamedTuple):
    """A page of animals, and the start of the next one; None on the last page."""

    pets: tuple[Pet, ...]
    next_cursor: Optional[str]


async def carry_out(
    transport: Transport,
    operation: Operation[T],
    timeout: Optional[float],
    max_retries: Optional[float],
) -> T:
    answer = await transport.call(operation.request, CallOptions(timeout, max_retries))
    warn_if_deprecated(answer, operation.name)
    return operation.read(answer)


def list_pets(
    status: Optional[PetStatus], limit: Optional[int], cursor: Optional[str]
) -> Operation[Listed]:
    parameters = {'limit': limit, 'status': status, 'cursor': cursor}
    query = urlencode({name: v for name, v in parameters.items() if v is not None})
    request = _request('GET', f'/pets?{query}' if query else '/pets')
    return Operation('pets.list', request, partial(_listed_of, cursor))


def create_pet(
    name: str, category_id: int, status: Optional[PetStatus], idempotency_key: Optional[str]
) -> Operation[Pet]:
    """:raises TypeError, ValueError: if a value cannot be sent"""
    key = secrets.token_hex(16) if idempotency_key is None else idempotency_key
    # Other characters cannot be sent unchanged. Everything else is validated by the service.
    if not isinstance(key, str) or re.search(r'[^\x21-\x7e]', key):
        raise ValueError('idempotency_key must be visible ASCII characters.')
    pet = {'categoryId': _check_int64('category_id', category_id), 'name': name}
    if status is not None:
        pet['status'] = status
    # The same bytes as from the TypeScript client: each can repeat a creation of the other.
    body = json.dumps(pet, ensure_ascii=False, separators=(',', ':')).encode()
    headers = {'Content-Type': 'application/json', 'Idempotency-Key': key}
    return Operation('pets.create', _request('POST', '/pets', headers, body), _answered_pet)


def get_pet(id: int) -> Operation[Pet]:
    """:raises TypeError, ValueError: if the id cannot be sent"""
    return Operation('pets.get', _request('GET', f'/pets/{_check_int64("id", id)}'), _answered_pet)


def _request(
    method: str,
    path: str,
    headers: Optional[dict[str, str]] = None,
    body: Optional[bytes] = None,
) -> HttpRequest:
    sent = {'Accept': 'application/json', 'User-Agent': _USER_AGENT, **(headers or {})}
    return HttpRequest(method, path, sent, body)


_USER_AGENT = f'petstore-client-python/{__version__}'


def _check_int64(name: str, value: int) -> int:
    """
    :raises TypeError: if this is not an integer
    :raises ValueError: if it has more than 64 bits
    """
    # Any integer type may be passed, such as numpy's, but True is a mistake.
    if isinstance(value, bool) or not hasattr(value, '__index__'):
        raise TypeError(f'{name} must be an integer, not {type(value).__name__}.')
    number = operator.index(value)
    if _int64_of(number) is None:
        raise ValueError(f'{name} must be a 64-bit integer; it has more bits.')
    return number


def _int64_of(value: object) -> Optional[int]:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return cast(int, value) if is_integer and -(2**63) <= cast(int, value) < 2**63 else None


def _listed_of(cursor: Optional[str], answer: Answer) -> Listed:
    body = body_of(answer)
    if not isinstance(body, list):
        raise unexpected(answer)
    pets = tuple(_pet_of(value, answer) for value in cast(Sequence[object], body))
    return Listed(pets, _next_cursor_of(answer, cursor))


def _answered_pet(answer: Answer) -> Pet:
    return _pet_of(body_of(answer), answer)


def _pet_of(value: object, answer: Answer) -> Pet:
    pet = cast(Dict[str, object], value) if isinstance(value, dict) else {}
    id, category_id = _int64_of(pet.get('id')), _int64_of(pet.get('categoryId'))
    name, status = pet.get('name'), pet.get('status')
    if id is None or category_id is None or not isinstance(name, str):
        raise unexpected(answer)
    if not isinstance(status, str):
        raise unexpected(answer)
    return Pet(id, name, category_id, cast(PetStatus, status))


def _next_cursor_of(answer: Answer, own: Optional[str]) -> Optional[str]:
    """
    Takes only the cursor from the address in `Link`, because the key must be sent to the client's
    own base address only. Every page has this header. If a proxy has removed it, an iteration must
    not end as if this were the last page; and if a cache answers with an earlier page, it must not
    go round forever.

    :param own: of the page that was requested
    """
    links = answer.headers.get('link')
    if links is None:
        raise unexpected(answer)
    address = re.search(r'<([^<>]*)>;\s*rel="next"', links)
    if address is None:
        return None
    try:
        cursor = parse_qs(urlsplit(address[1]).query)['cursor'][0]
    except (KeyError, ValueError) as cause:
        raise unexpected(answer) from cause
    if cursor == own:
        raise unexpected(answer)
    return cursor
