from __future__ import annotations

from typing import Callable, Iterator, Optional

from ._openapi import Pet


class PetPage:
    """One page of animals, in order of id. Iterating over it continues to the last page."""

    #: The animals of this page.
    pets: tuple[Pet, ...]
    #: The start of the next page, for `list(cursor=…)`; None on the last page. It does not expire.
    next_cursor: Optional[str]

    def __init__(
        self,
        pets: tuple[Pet, ...],
        next_cursor: Optional[str],
        load: Callable[[str], PetPage],
    ) -> None:
        """:param load: loads the page after a cursor"""
        self.pets = pets
        self.next_cursor = next_cursor
        self._load = load

    def next_page(self) -> Optional[PetPage]:
        """Loads the next page; None on the last page."""
        return None if self.next_cursor is None else self._load(self.next_cursor)

    def __iter__(self) -> Iterator[Pet]:
        page: Optional[PetPage] = self
        while page is not None:
            yield from page.pets
            page = page.next_page()

    def __repr__(self) -> str:
        return f'PetPage(pets={self.pets!r}, next_cursor={self.next_cursor!r})'
