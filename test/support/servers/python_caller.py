"""Creates animals with the client, in threads or tasks: python_caller.py PLAN. Prints how that ended, as JSON."""

import asyncio
import json
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from petstore_client import AsyncPets, AsyncPetstore, Pets, Petstore, PetstoreError
from petstore_client._async_io import AsyncIo
from petstore_client._blocking_io import BlockingIo
from petstore_client._gate import Gate
from petstore_client._hooks import Hooks
from petstore_client._http import Connections
from petstore_client._secret import Secret
from petstore_client._retry import DEFAULT_MAX_WAIT
from petstore_client._transport import Transport, TransportOptions


class FastClock:
    """Runs this many times as fast as the real one."""

    def __init__(self, speed):
        self.speed = speed

    def now(self):
        return time.monotonic() * self.speed

    def time(self):
        return time.time()


class FastIo:
    """Waits by a fast clock."""

    def __init__(self, io, speed):
        self.max_underway = io.max_underway
        self.io = io
        self.speed = speed

    async def send(self, request, timeout, on_head):
        return await self.io.send(request, timeout / self.speed, on_head)

    async def sleep(self, seconds):
        await self.io.sleep(seconds / self.speed)

    def signal(self):
        return FastSignal(self.io.signal(), self.speed)


class FastSignal:
    def __init__(self, signal, speed):
        self.set = signal.set
        self.signal = signal
        self.speed = speed

    async def wait(self, seconds):
        await self.signal.wait(seconds / self.speed)


def pets_of(plan):
    client, kind, io = (Petstore, Pets, BlockingIo) if plan['threads'] else (AsyncPetstore, AsyncPets, AsyncIo)
    if plan['speed'] == 1:
        return client(base_url=plan['baseUrl'], api_key=plan['apiKey']).pets
    clock = FastClock(plan['speed'])
    connections = Connections(plan['baseUrl'], Secret(f'Bearer {plan["apiKey"]}'), None)
    return kind(
        Transport(
            TransportOptions(
                base_url=plan['baseUrl'],
                io=FastIo(io(connections), plan['speed']),
                timeout=plan['timeout'],
                attempt_timeout=600,
                max_retries=float('inf'),
                max_wait=DEFAULT_MAX_WAIT,
                is_paced=False,
                hooks=Hooks(),
                gate=Gate(clock, random.random),
                clock=clock,
                random=random.random,
            )
        )
    )


plan = json.loads(sys.argv[1])
pets = pets_of(plan)
created, errors = {}, []


def create(name):
    try:
        created[name] = str(pets.create(name=name, category_id=7, timeout=plan['timeout']).id)
    except PetstoreError as error:
        errors.append(type(error).__name__)


async def create_in_task(name):
    try:
        created[name] = str((await pets.create(name=name, category_id=7, timeout=plan['timeout'])).id)
    except PetstoreError as error:
        errors.append(type(error).__name__)


async def create_in_tasks():
    await asyncio.gather(*map(create_in_task, plan['names']))


if plan['threads']:
    with ThreadPoolExecutor(plan['threads']) as executor:
        list(executor.map(create, plan['names']))
    assert threading.active_count() == 1, threading.enumerate()
else:
    asyncio.run(create_in_tasks())
print(json.dumps({'created': created, 'errors': errors}))
