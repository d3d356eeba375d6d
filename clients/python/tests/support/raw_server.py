"""A server that does with its connections whatever a test likes."""

from __future__ import annotations

import socket
import ssl
import threading
from types import TracebackType
from typing import Callable, List, Optional, Type

#: Called for each connection in a thread of its own.
Serve = Callable[[socket.socket], object]

EMPTY_PAGE = (
    b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nLink: </v1/pets>; rel="first"\r\n'
    b'RateLimit-Policy: "minute";q=600;w=60\r\nRateLimit: "minute";r=599;t=60\r\n\r\n[]'
)


class RawServer:
    def __init__(self, serve: Serve, tls: Optional[ssl.SSLContext] = None) -> None:
        self._serve = serve
        self._tls = tls
        self._listener = socket.create_server(('127.0.0.1', 0))
        self._sockets: List[socket.socket] = []
        self._lock = threading.Lock()
        self.connections = 0
        self.port: int = self._listener.getsockname()[1]
        scheme = 'https' if tls else 'http'
        self.url = f'{scheme}://127.0.0.1:{self.port}/v1'
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def __enter__(self) -> RawServer:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        # Ends a pending accept on every platform.
        self._listener.close()
        with self._lock:
            for sock in self._sockets:
                close(sock)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._run, args=[sock], daemon=True).start()

    def _run(self, sock: socket.socket) -> None:
        try:
            if self._tls:
                sock = self._tls.wrap_socket(sock, server_side=True)
            with self._lock:
                self._sockets.append(sock)
            self._serve(sock)
        except OSError:
            pass
        finally:
            close(sock)


def close(sock: socket.socket) -> None:
    try:
        # Without this, a thread that reads from it would keep it open.
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    sock.close()


def read_request(sock: socket.socket) -> bytes:
    """One request without a body. :raises ConnectionError: at the end of the connection"""
    message = b''
    while b'\r\n\r\n' not in message:
        chunk = sock.recv(65_536)
        if not chunk:
            raise ConnectionError
        message += chunk
    return message


def answering(*responses: bytes) -> Serve:
    """Answers the requests of each connection with these, and then closes it."""

    def serve(sock: socket.socket) -> None:
        for response in responses:
            read_request(sock)
            sock.sendall(response)

    return serve
