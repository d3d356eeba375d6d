"""Creates animals with the client, in several threads: python_caller.py PLAN. Prints how that ended, as JSON."""

import json
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from petstore_client import PetstoreClient, PetstoreError
from petstore_client._clock import SystemClock
from petstore_client._gate import Gate
from petstore_client._hooks import Hooks
from petstore_client._http import Connections
from petstore_client._pets import Pets
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

    def sleep(self, seconds):
        SystemClock().sleep(seconds / self.speed)

    def condition(self, lock):
        return FastCondition(SystemClock().condition(lock), self.speed)


class FastCondition:
    def __init__(self, condition, speed):
        self.condition = condition
        self.speed = speed

    def wait(self, timeout):
        self.condition.wait(timeout / self.speed)

    def notify(self):
        self.condition.notify()


def pets_of(plan):
    if plan['speed'] == 1:
        return PetstoreClient(base_url=plan['baseUrl'], api_key=plan['apiKey']).pets
    clock = FastClock(plan['speed'])
    connections = Connections(plan['baseUrl'], Secret(f'Bearer {plan["apiKey"]}'), None)
    return Pets(
        Transport(
            TransportOptions(
                base_url=plan['baseUrl'],
                send=lambda request, timeout, on_head: connections.send(
                    request, timeout / plan['speed'], on_head
                ),
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
        pet = pets.create(name=name, category_id=7, timeout=plan['timeout'])
        created[name] = str(pet.id)
    except PetstoreError as error:
        errors.append(type(error).__name__)


with ThreadPoolExecutor(plan['threads']) as executor:
    list(executor.map(create, plan['names']))
assert threading.active_count() == 1, threading.enumerate()
print(json.dumps({'created': created, 'errors': errors}))
