from __future__ import annotations

from typing import Any


class Secret:
    """A text that no log, traceback or debugger shows by accident."""

    __slots__ = ('_text',)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return '<secret>'

    def __reduce__(self) -> Any:
        raise TypeError('A client cannot be pickled or copied: create one in each process.')
