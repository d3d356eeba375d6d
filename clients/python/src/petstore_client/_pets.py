from __future__ import annotations

from functools import partial
from typing import Optional

from ._blocking_io import run
from ._openapi import Pet, PetStatus
from ._operations import carry_out, create_pet, get_pet, list_pets
from ._page import AsyncPetList, AsyncPetPage, PetPage
from ._transport import Transport


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
            operation = list_pets(status, limit, cursor)
            listed = run(carry_out(self._transport, operation, timeout, max_retries))
            return PetPage(*listed, load)

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
        operation = create_pet(name, category_id, status, idempotency_key)
        return run(carry_out(self._transport, operation, timeout, max_retries))

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
        return run(carry_out(self._transport, get_pet(id), timeout, max_retries))


class AsyncPets:
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
    ) -> AsyncPetList:
        """
        Lists animals in order of id. `await` it for one page, or use `async for` to get all animals
        from that page to the last. The parameters are those of `Pets.list`.
        """

        async def load(cursor: Optional[str]) -> AsyncPetPage:
            operation = list_pets(status, limit, cursor)
            listed = await carry_out(self._transport, operation, timeout, max_retries)
            return AsyncPetPage(*listed, load)

        return AsyncPetList(partial(load, cursor))

    async def create(
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
        Creates an animal. Retries by the client never create a second one. The parameters are those
        of `Pets.create`.

        :raises ValueError: if `category_id` has more than 64 bits, or a value cannot be sent
        """
        operation = create_pet(name, category_id, status, idempotency_key)
        return await carry_out(self._transport, operation, timeout, max_retries)

    async def get(
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
        return await carry_out(self._transport, get_pet(id), timeout, max_retries)
