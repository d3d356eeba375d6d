"""What only the asynchronous client promises: cancellation, limits shared with threads."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import ssl
import threading
import unittest
from itertools import count
from typing import Any, Callable, List
from unittest import mock

from petstore_client import AsyncPetstore, Petstore, RateLimitError
from petstore_client._exchange import Exchange
from petstore_client._http import Connections, HttpFailure
from petstore_client._secret import Secret

from .support.fake_clock import TaskClock
from .support.model_network import Trip
from .support.model_service import ModelService
from .support.processes import LIST, Process
from .support.raw_server import EMPTY_PAGE, RawServer, Serve, answering, read_request

REFUSED = EMPTY_PAGE.replace(
    b'200 OK\r\n',
    b'429 No\r\nRetry-After: 60\r\nX-RateLimit-Limit: 600\r\nX-RateLimit-Remaining: 0\r\n'
    b'X-RateLimit-Reset: 60\r\n',
).replace(b'r=599', b'r=0')
_keys = count()


def client_of(url: str, **options: Any) -> AsyncPetstore:
    """Each has a key and so a gate of its own."""
    return AsyncPetstore(base_url=url, api_key=f'petstore_test_async_{next(_keys)}', **options)


def has_threads() -> bool:
    return any(thread.name.startswith('petstore') for thread in threading.enumerate())


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


class CancellationTest(unittest.IsolatedAsyncioTestCase):
    """The event loop goes on while a call waits or is under way, and a cancelled call ends."""

    async def asyncSetUp(self) -> None:
        # Debug mode warns of the time that a huge body takes.
        asyncio.get_running_loop().slow_callback_duration = 600

    async def cancel(self, petstore: AsyncPetstore, call: 'asyncio.Future[Any]') -> None:
        for _ in range(1_000):
            await asyncio.sleep(0)
        self.assertFalse(call.done())
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call
        await petstore.close()
        await until(lambda: not has_threads())

    async def test_while_it_waits_for_a_limit(self) -> None:
        waits: List[object] = []
        with RawServer(answering(REFUSED, EMPTY_PAGE)) as server:
            async with client_of(server.url, on_wait=waits.append) as petstore:
                call = asyncio.create_task(petstore.pets.create(name='Rex', category_id=7))
                await until(lambda: waits)
                await self.cancel(petstore, call)
                self.assertEqual(petstore._gate._waiting, {})

    async def test_while_the_service_is_silent(self) -> None:
        ends: List[bytes] = []

        def serve(sock: socket.socket) -> None:
            read_request(sock)
            ends.append(sock.recv(1))

        with RawServer(serve) as server:
            async with client_of(server.url) as petstore:
                call = asyncio.ensure_future(petstore.pets.list())
                await until(lambda: server.connections)
                await self.cancel(petstore, call)
                await until(lambda: ends)
                self.assertEqual(petstore._gate._underway, 0)
        self.assertEqual((ends, server.connections), ([b''], 1))

    async def test_while_it_sends(self) -> None:
        is_cancelled = threading.Event()
        received: List[int] = []

        def serve(sock: socket.socket) -> None:
            is_cancelled.wait()
            length = 0
            while chunk := sock.recv(1_048_576):
                length += len(chunk)
            received.append(length)

        name = 'x' * 30_000_000
        with RawServer(serve) as server:
            async with client_of(server.url) as petstore:
                call = asyncio.create_task(petstore.pets.create(name=name, category_id=7))
                await until(lambda: server.connections)
                await self.cancel(petstore, call)
                is_cancelled.set()
                await until(lambda: received)
        self.assertLess(received[0], len(name))

    async def test_while_it_looks_up_the_address(self) -> None:
        stop = threading.Event()
        started: List[object] = []

        def look_up(*args: object, **_: object) -> None:
            started.append(args)
            stop.wait()

        with mock.patch('socket.getaddrinfo', look_up):
            async with client_of('http://petstore.example/v1') as petstore:
                call = asyncio.ensure_future(petstore.pets.list())
                await until(lambda: started)
                await self.cancel(petstore, call)
                stop.set()

    async def test_while_tls_begins(self) -> None:
        ends: List[bytes] = []

        def serve(sock: socket.socket) -> None:
            while chunk := sock.recv(65_536):
                self.assertEqual(chunk[0], 22, 'It is a part of the handshake.')
            ends.append(chunk)

        with RawServer(serve) as server:
            url = server.url.replace('http:', 'https:')
            async with client_of(url, ssl_context=ssl.create_default_context()) as petstore:
                call = asyncio.ensure_future(petstore.pets.list())
                await until(lambda: server.connections)
                await self.cancel(petstore, call)
                await until(lambda: ends)

    async def test_by_a_timeout_of_the_program(self) -> None:
        with RawServer(answering(REFUSED, EMPTY_PAGE)) as server:
            async with client_of(server.url) as petstore:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(petstore.pets.list(), 0.2)
                self.assertEqual((petstore._gate._waiting, petstore._gate._underway), ({}, 0))


class ExchangeTest(unittest.TestCase):
    """What another thread cancels too late or too early."""

    def connections_to(self, server: RawServer) -> Connections:
        connections = Connections(server.url, Secret('Bearer petstore_test'), None)
        self.addCleanup(connections.close)
        return connections

    def test_after_the_response_it_does_not_end_the_connection(self) -> None:
        with RawServer(answering(EMPTY_PAGE, EMPTY_PAGE)) as server:
            connections, exchange = self.connections_to(server), Exchange(60)
            connections.send(LIST, exchange, lambda: None)
            [idle] = connections._idle
            exchange.cancel()
            self.assertTrue(idle.is_usable())

    def test_before_the_request_nothing_is_sent_on_an_idle_connection(self) -> None:
        requests: List[bytes] = []

        def serve(sock: socket.socket) -> None:
            while True:
                requests.append(read_request(sock))
                sock.sendall(EMPTY_PAGE)

        with RawServer(serve) as server:
            connections, exchange = self.connections_to(server), Exchange(60)
            connections.send(LIST, Exchange(60), lambda: None)
            exchange.cancel()
            with self.assertRaises(HttpFailure):
                connections.send(LIST, exchange, lambda: None)
            connections.send(LIST, Exchange(60), lambda: None)
        self.assertEqual((len(requests), server.connections), (2, 2))

    def test_during_the_response_head_the_connection_is_not_used_again(self) -> None:
        with RawServer(answering(EMPTY_PAGE)) as server:
            connections, exchange = self.connections_to(server), Exchange(60)
            with self.assertRaises(HttpFailure):
                connections.send(LIST, exchange, exchange.cancel)
            self.assertEqual(connections._idle, [])


class SharedGateTest(unittest.IsolatedAsyncioTestCase):
    """Calls of threads and of tasks with the same key pass through one gate."""

    def clients_of(self, url: str) -> 'tuple[Petstore, AsyncPetstore]':
        key = f'petstore_test_shared_{next(_keys)}'
        return Petstore(base_url=url, api_key=key), AsyncPetstore(base_url=url, api_key=key)

    async def test_a_refusal_of_one_stops_the_other(self) -> None:
        for index in (0, 1):
            with RawServer(answering(REFUSED, EMPTY_PAGE)) as server:
                blocking, asynchronous = self.clients_of(server.url)
                with blocking:
                    async with asynchronous:
                        for first in (index == 0, index == 1):
                            with self.assertRaises(RateLimitError) as raised:
                                if first:
                                    blocking.pets.list(timeout=1)
                                else:
                                    await asynchronous.pets.list(timeout=1)
                self.assertEqual(server.connections, 1)
                self.assertRegex(raised.exception.message, '^Not sent: ')

    async def test_a_call_that_goes_ahead_lets_the_other_kind_enter(self) -> None:
        for is_blocking_first in (False, True):
            answer = threading.Event()

            def serve(sock: socket.socket, answer: threading.Event = answer) -> None:
                read_request(sock)
                answer.wait()
                sock.sendall(EMPTY_PAGE)

            with RawServer(serve) as server:
                blocking, asynchronous = self.clients_of(server.url)
                gate = blocking._gate

                def call_in_thread() -> 'asyncio.Future[Any]':
                    return asyncio.ensure_future(asyncio.to_thread(blocking.pets.list))

                def call_in_task() -> 'asyncio.Future[Any]':
                    return asyncio.ensure_future(asynchronous.pets.list())

                calls = [call_in_task, call_in_thread]
                if is_blocking_first:
                    calls.reverse()
                with blocking:
                    async with asynchronous:
                        ahead = calls[0]()
                        await until(lambda: gate._underway)
                        behind = calls[1]()
                        await until(lambda: gate._waiting)
                        answer.set()
                        for page in await asyncio.gather(ahead, behind):
                            self.assertEqual(page.pets, ())


class LoopTest(unittest.TestCase):
    def test_a_client_works_in_several_event_loops(self) -> None:
        with RawServer(answering(EMPTY_PAGE, EMPTY_PAGE)) as server:
            petstore = client_of(server.url)
            for _ in range(2):
                self.assertEqual(asyncio.run(one_page(petstore)).pets, ())
            self.assertEqual(server.connections, 1)
            [idle] = petstore._connections._idle
            asyncio.run(petstore.close())
            self.assertEqual(idle._socket.fileno(), -1)
            asyncio.run(until(lambda: not has_threads()))

    def test_after_the_end_of_the_block_the_client_is_closed_and_stays_usable(self) -> None:
        async def call_again(petstore: AsyncPetstore) -> None:
            async with petstore:
                await petstore.pets.list()
            self.assertEqual(petstore._connections._idle, [])
            await petstore.pets.list()
            await petstore.close()

        with RawServer(answering(EMPTY_PAGE)) as server:
            asyncio.run(call_again(client_of(server.url)))
            self.assertEqual(server.connections, 2)

    def test_an_event_loop_that_is_closed_with_a_call_in_it_does_not_stop_the_others(self) -> None:
        def serve(sock: socket.socket) -> None:
            read_request(sock)
            answer.wait()
            sock.sendall(EMPTY_PAGE)

        answer = threading.Event()
        logging.getLogger('asyncio').setLevel(logging.CRITICAL)
        self.addCleanup(logging.getLogger('asyncio').setLevel, logging.NOTSET)
        with RawServer(serve) as server:
            asynchronous = client_of(server.url)
            gate = asynchronous._gate
            pages: List[Any] = []
            ahead = threading.Thread(
                target=lambda: pages.append(asyncio.run(one_page(asynchronous)))
            )
            ahead.start()
            loop = asyncio.new_event_loop()
            loop.run_until_complete(until(lambda: gate._underway))
            forgotten = loop.create_task(one_page(asynchronous))
            loop.run_until_complete(until(lambda: gate._waiting))
            loop.close()
            answer.set()
            ahead.join()
            self.assertEqual([page.pets for page in pages], [()])
            del forgotten
            gc.collect()
            self.assertEqual((gate._waiting, gate._underway), ({}, 0))
            self.assertEqual(asyncio.run(one_page(asynchronous)).pets, ())
            asyncio.run(asynchronous.close())

    def test_the_end_of_the_block_lets_calls_that_are_under_way_end(self) -> None:
        def serve(sock: socket.socket) -> None:
            read_request(sock)
            answer.wait()
            sock.sendall(EMPTY_PAGE)

        async def close_during_a_call(petstore: AsyncPetstore) -> None:
            async with petstore:
                call = asyncio.ensure_future(petstore.pets.list())
                await until(lambda: server.connections)
            answer.set()
            self.assertEqual((await call).pets, ())
            await petstore.close()

        answer = threading.Event()
        with RawServer(serve) as server:
            asyncio.run(close_during_a_call(client_of(server.url)))

    @unittest.skipUnless(hasattr(os, 'fork'), 'this platform has no fork')
    def test_a_forked_process_uses_threads_of_its_own(self) -> None:
        with RawServer(answering(EMPTY_PAGE, EMPTY_PAGE)) as server:
            petstore = client_of(server.url)
            asyncio.run(one_page(petstore))
            # As if another thread were just using them.
            with petstore._io._lock:
                child = os.fork()
                if child == 0:
                    # If it hangs, it ends.
                    signal.alarm(20)
                    os._exit(0 if asyncio.run(one_page(petstore)).pets == () else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            asyncio.run(petstore.close())

    def test_a_hook_must_not_be_async(self) -> None:
        async def on_wait(event: object) -> None: ...

        with self.assertRaisesRegex(TypeError, '^on_wait must be a function that is not async.$'):
            client_of('http://127.0.0.1:1/v1', on_wait=on_wait)


class ManyTasksTest(unittest.TestCase):
    def test_of_1000_calls_at_most_64_are_under_way_and_no_more_than_remain(self) -> None:
        # One call has gone ahead.
        for per_minute, expected in [(10_000, 64), (20, 19)]:
            clock = TaskClock()
            process = Process(clock, ModelService(per_minute), lambda: Trip(0.2, 0.2))
            underway: List[int] = []

            async def call() -> None:
                await process.call(timeout=10_000)
                underway.append(process.gate._underway)

            for _ in range(1_000):
                clock.spawn(call)
            clock.run()
            self.assertEqual(process.network.statuses, [200] * 1_000)
            self.assertEqual(process.network.violations, [])
            self.assertEqual(max(underway), expected)
            self.assertGreaterEqual(clock.now(), 60 * (1_000 / per_minute - 1))


async def one_page(petstore: AsyncPetstore) -> Any:
    return await petstore.pets.list()


if __name__ == '__main__':
    unittest.main()
