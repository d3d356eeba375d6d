from __future__ import annotations

import hashlib
import threading
from random import random

from ._clock import SYSTEM_CLOCK
from ._fork import on_fork
from ._gate import Gate


class _GateRegistry:
    """
    The gates of this process by address and key, in the order in which a client was last created
    for each: the first is the first to be evicted. Keys are hashed, so that they do not appear in
    dumps of variables.
    """

    def __init__(self) -> None:
        self._gates: dict[str, Gate] = {}
        self._lock = threading.Lock()
        on_fork(self)

    def gate_of(self, base_url: str, api_key: str) -> Gate:
        name = hashlib.sha256(f'{base_url} {api_key}'.encode()).hexdigest()
        with self._lock:
            gate = self._gates.pop(name, None) or Gate(SYSTEM_CLOCK, random)
            self._gates[name] = gate
            if len(self._gates) > _MAX_GATES:
                del self._gates[next(iter(self._gates))]
            return gate

    def after_fork(self) -> None:
        self._lock = threading.Lock()


# Existing clients keep an evicted gate, but a new client with the same key gets a new one.
_MAX_GATES = 10_000

_registry = _GateRegistry()


def gate_of(base_url: str, api_key: str) -> Gate:
    """
    The gate of a key: the same for all clients of this process that use the key, even if a new
    client is created for every call.
    """
    return _registry.gate_of(base_url, api_key)
