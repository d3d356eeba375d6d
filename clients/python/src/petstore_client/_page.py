from __future__ import annotations

from typing import (
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Generic,
    Iterator,
    Optional,
    TypeVar,
)

from ._openapi import Pet

T = TypeVar('T')


class _Page(Generic[T]):
    #: The animals of this page.
    pets: tuple[Pet, ...]
    #: The start of the next page, for `list(cursor=…)`; None on the last page. It does not expire.
    next_cursor: Optional[str]

    def __init__(
        self,
        pets: tuple[Pet, ...],
        next_cursor: Optional[str],
        load: Callable[[str], T],
    ) -> None:
        """:param load: loads the page after a cursor"""
        self.pets = pets
        self.next_cursor = next_cursor
        self._load = load

    def __repr__(self) -> str:
        return f'{type(self).__name__}(pets={self.pets!r}, next_cursor={self.next_cursor!r})'


class PetPage(_Page['PetPage']):
    """One page of animals, in order of id. Iterating over it continues to the last page."""

    def next_page(self) -> Optional[PetPage]:
        """Loads the next page; None on the last page."""
        return None if self.next_cursor is None else self._load(self.next_cursor)

    def __iter__(self) -> Iterator[Pet]:
        page: Optional[PetPage] = self
        while page is not None:
            yield from page.pets
            page = page.next_page()


class AsyncPetPage(_Page[Awaitable['AsyncPetPage']]):
    """One page of animals, in order of id. `async for` over it continues to the last page."""

    async def next_page(self) -> Optional[AsyncPetPage]:
        """Loads the next page; None on the last page."""
        return None if self.next_cursor is None else await self._load(self.next_cursor)

    async def __aiter__(self) -> AsyncIterator[Pet]:
        page: Optional[AsyncPetPage] = self
        while page is not None:
            for pet in page.pets:
                yield pet
            page = await page.next_page()


class AsyncPetList:
    """`await` it for one page, or use `async for` to get all animals from that page to the last."""

    def __init__(self, load: Callable[[], Awaitable[AsyncPetPage]]) -> None:
        """:param load: loads the first page"""
        self._load = load

    def __await__(self) -> Generator[object, None, AsyncPetPage]:
        return self._load().__await__()

    async def __aiter__(self) -> AsyncIterator[Pet]:
        async for pet in await self:
            yield pet
