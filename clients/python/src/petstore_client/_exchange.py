from __future__ import annotations

import socket
import threading
import time
from typing import Callable, Optional


class Exchange:
    """
    The time that one request and its response may take, and a way for another thread to end them.
    """

    def __init__(self, timeout: float) -> None:
        """:param timeout: in seconds"""
        self._deadline = time.monotonic() + min(timeout, _MAX_TIMEOUT)
        self._is_cancelled = False
        self._interrupt: Optional[Callable[[], object]] = None
        self._lock = threading.Lock()

    def left(self) -> float:
        """
        Seconds until the deadline.

        :raises TimeoutError: after it
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout('timed out')
        return left

    def cancel(self) -> None:
        """Ends the exchange, from any thread. Nothing is sent afterwards."""
        with self._lock:
            self._is_cancelled = True
            if self._interrupt:
                self._interrupt()

    def guard(self, interrupt: Optional[Callable[[], object]]) -> None:
        """
        Begins the next step.

        :param interrupt: ends this step when the exchange is cancelled; None if it needs no time
        :raises ConnectionAbortedError: if the exchange is already cancelled
        """
        with self._lock:
            if self._is_cancelled:
                raise ConnectionAbortedError('the call was cancelled')
            self._interrupt = interrupt


# Sockets do not accept much longer timeouts.
_MAX_TIMEOUT = 365 * 86_400.0
