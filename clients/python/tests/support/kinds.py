"""Both classes of the client, for tests of what they have in common."""

from __future__ import annotations

import asyncio
import sys
import unittest
from typing import Any, Callable, NamedTuple, TypeVar, Union

from petstore_client import AsyncPets, AsyncPetstore, Pets, Petstore
from petstore_client._transport import Transport

from .fake_clock import FakeClock, TaskClock, ThreadClock, settle

R = TypeVar('R')


class Kind(NamedTuple):
    name: str
    new_clock: Callable[[], FakeClock]
    new_pets: Callable[[Transport], Union[Pets, AsyncPets]]
    #: Its arguments are those of `Petstore`, and so are the methods of what it returns.
    new_client: Callable[..., Any]


class _BlockingView:
    """An `AsyncPetstore` that blocks: each of its calls runs in an event loop of its own."""

    def __init__(self, **options: Any) -> None:
        self._client = AsyncPetstore(**options)
        self.pets = _BlockingPets(self._client.pets)

    def close(self) -> None:
        asyncio.run(self._client.close())

    def __reduce__(self) -> Any:
        return self._client.__reduce__()

    def __enter__(self) -> _BlockingView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def __repr__(self) -> str:
        return repr(self._client)


class _BlockingPets:
    def __init__(self, pets: AsyncPets) -> None:
        self._pets = pets

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._pets, name)
        return lambda **options: asyncio.run(settle(call(**options)))


KINDS = [
    Kind('Blocking', ThreadClock, Pets, Petstore),
    Kind('Async', TaskClock, AsyncPets, _BlockingView),
]


def for_both_clients(rules: R) -> R:
    """Makes a test of each kind from a class that has tests and uses `self.kind`."""
    name, module = getattr(rules, '__name__'), getattr(rules, '__module__')
    for kind in KINDS:
        test = type(kind.name + name, (rules, unittest.TestCase), {'kind': kind})  # type: ignore
        test.__module__ = module
        setattr(sys.modules[module], test.__name__, test)
    return rules
