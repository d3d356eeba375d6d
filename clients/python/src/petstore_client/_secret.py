from __future__ import annotations


class Secret:
    """A text that logs, tracebacks and debuggers do not show by accident."""

    __slots__ = ('_text',)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return '<secret>'
