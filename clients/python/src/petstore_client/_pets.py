from __future__ import annotations

import json
import operator
import re
import secrets
from typing import Dict, Optional, Sequence, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from ._answer import Answer, body_of, unexpected
from ._deprecation import warn_if_deprecated
from ._http import HttpRequest
from ._openapi import Pet, PetStatus
from ._page import PetPage
from ._transport import CallOptions, Transport
from ._version import __version__


class Pets:
    """The animals in the catalogue."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        status: Optional[PetStatus] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> PetPage:
        """
        Lists animals in order of id. Returns one page; iterate over it to get all animals from that
        page to the last.

        :param status: only animals with this status
        :param limit: maximum number of animals on a page, from 1 to 100; the service's default is
            20
        :param cursor: where to start: the `next_cursor` of a page with the same `status`
        :param timeout: seconds that each page may take; default: the client's `timeout`
        :param max_retries: how often the call for each page may be sent again; default: the
            client's `max_retries`
        """

        def load(cursor: Optional[str]) -> PetPage:
            parameters = {'limit': limit, 'status': status, 'cursor': cursor}
            query = urlencode({name: v for name, v in parameters.items() if v is not None})
            options = CallOptions(timeout, max_retries)
            answer = self._call('pets.list', 'GET', f'/pets?{query}' if query else '/pets', options)
            body = body_of(answer)
            if not isinstance(body, _LIST):
                raise unexpected(answer)
            pets = tuple(_pet_of(value, answer) for value in cast(Sequence[object], body))
            return PetPage(pets, _next_cursor_of(answer), load)

        return load(cursor)

    def create(
        self,
        *,
        name: str,
        category_id: int,
        status: Optional[PetStatus] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Pet:
        """
        Creates an animal. Retries by the client never create a second one. To repeat the call
        yourself, after any error or in another process, pass an `idempotency_key`: each call
        without one creates another animal.

        :param name: 1 to 255 characters, stored unchanged
        :param category_id: a signed 64-bit integer
        :param status: default: `available`
        :param idempotency_key: 1 to 255 visible ASCII characters; a call with the same key within
            24 hours, even from another process, returns the animal that was created first;
            default: a random key
        :param timeout: seconds that the call may take; default: the client's `timeout`
        :param max_retries: how often the call may be sent again; default: the client's
            `max_retries`
        :raises ValueError: if `category_id` has more than 64 bits, or a value cannot be sent
        """
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
        answer = self._call(
            'pets.create', 'POST', '/pets', CallOptions(timeout, max_retries), headers, body
        )
        return _pet_of(body_of(answer), answer)

    def get(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[float] = None,
    ) -> Pet:
        """
        Gets one animal.

        .. deprecated:: 1.0
            The service will remove this operation on 5 December 2030. Use `list` with a `status`.

        :raises NotFoundError: if no animal has this id
        """
        path = f'/pets/{_check_int64("id", id)}'
        answer = self._call('pets.get', 'GET', path, CallOptions(timeout, max_retries))
        return _pet_of(body_of(answer), answer)

    def _call(
        self,
        operation: str,
        method: str,
        path: str,
        options: CallOptions,
        headers: Optional[dict[str, str]] = None,
        body: Optional[bytes] = None,
    ) -> Answer:
        sent = {'Accept': 'application/json', 'User-Agent': _USER_AGENT, **(headers or {})}
        answer = self._transport.call(HttpRequest(method, path, sent, body), options)
        warn_if_deprecated(answer, operation)
        return answer


# The method above hides the built-in name.
_LIST = list

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


def _pet_of(value: object, answer: Answer) -> Pet:
    pet = cast(Dict[str, object], value) if isinstance(value, dict) else {}
    id, category_id = _int64_of(pet.get('id')), _int64_of(pet.get('categoryId'))
    name, status = pet.get('name'), pet.get('status')
    if id is None or category_id is None or not isinstance(name, str):
        raise unexpected(answer)
    if not isinstance(status, str):
        raise unexpected(answer)
    return Pet(id, name, category_id, cast(PetStatus, status))


def _next_cursor_of(answer: Answer) -> Optional[str]:
    """
    Takes only the cursor from the address in `Link`, because the key must be sent to the client's
    own base address only. Every page has this header. If a proxy has removed it, an iteration must
    not end as if this were the last page.
    """
    links = answer.headers.get('link')
    if links is None:
        raise unexpected(answer)
    address = re.search(r'<([^>]*)>;\s*rel="next"', links)
    if address is None:
        return None
    cursors = parse_qs(urlsplit(address[1]).query).get('cursor')
    if not cursors:
        raise unexpected(answer)
    return cursors[0]
