"""A Petstore client that waits and retries for you."""

from ._client import AsyncPetstore, Petstore, PetstoreClient
from ._errors import (
    ApiKeyError,
    BannedError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    PetstoreError,
    RateLimitError,
    ScopeError,
    ServiceError,
    TimeoutError,
)
from ._hooks import RequestEvent, ResponseEvent, WaitEvent
from ._openapi import ErrorCode, Pet, PetStatus
from ._page import AsyncPetList, AsyncPetPage, PetPage
from ._pets import AsyncPets, Pets
from ._rate_limit import RateLimit, RateLimitWindow
from ._version import __version__

__all__ = [
    'ApiKeyError',
    'AsyncPetList',
    'AsyncPetPage',
    'AsyncPets',
    'AsyncPetstore',
    'BannedError',
    'ErrorCode',
    'InvalidRequestError',
    'NetworkError',
    'NotFoundError',
    'Pet',
    'PetPage',
    'PetStatus',
    'Pets',
    'Petstore',
    'PetstoreClient',
    'PetstoreError',
    'RateLimit',
    'RateLimitError',
    'RateLimitWindow',
    'RequestEvent',
    'ResponseEvent',
    'ScopeError',
    'ServiceError',
    'TimeoutError',
    'WaitEvent',
    '__version__',
]

# Tracebacks then show the names under which programs import these.
for _thing in [globals()[name] for name in __all__]:
    if isinstance(_thing, type):
        _thing.__module__ = __name__
