from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class _Forked(Protocol):
    def after_fork(self) -> None: ...


_forked: WeakSet[_Forked] = WeakSet()


def on_fork(thing: _Forked) -> None:
    """
    Calls `after_fork` in each child process that is forked from this one, as `multiprocessing` and
    many web servers do. A child has copies of the parent's locks and connections, but not the
    threads that use them.
    """
    _forked.add(thing)


def _after_fork() -> None:
    for thing in list(_forked):
        thing.after_fork()


# Windows has no fork.
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_after_fork)
