"""Types and error codes come from openapi.json."""

from __future__ import annotations

import inspect
import json
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, Set

from petstore_client import PetstoreClient

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / 'clients/python'))

import generate  # noqa: E402


class OpenApiTest(unittest.TestCase):
    document: Dict[str, Any] = json.loads((ROOT / 'openapi.json').read_text(encoding='utf-8'))

    def test_the_types_match_the_committed_document(self) -> None:
        self.assertEqual(generate.TYPES.read_text(encoding='utf-8'), generate.generate_types())

    def test_the_client_supports_every_parameter_and_member(self) -> None:
        pets = PetstoreClient(base_url='https://petstore.example/v1', api_key='key').pets
        ours = {'self', 'timeout', 'max_retries', 'idempotency_key'}
        # Pages are not cached, so If-None-Match is not sent.
        headers = {'IfNoneMatch', 'RequestId'}
        parameters = self.document['paths']['/pets']['get']['parameters']
        listed = {parameter['$ref'].split('/')[-1] for parameter in parameters} - headers
        self.assertEqual(names_of(pets.list) - ours, listed)
        new = self.document['components']['schemas']['NewPet']['properties']
        self.assertEqual(names_of(pets.create) - ours, {generate.snake_case(name) for name in new})

    def test_exactly_what_the_document_deprecates_is_documented_as_deprecated(self) -> None:
        pets = PetstoreClient(base_url='https://petstore.example/v1', api_key='key').pets
        for method, path, verb in [
            (pets.list, '/pets', 'get'),
            (pets.create, '/pets', 'post'),
            (pets.get, '/pets/{petId}', 'get'),
        ]:
            operation = self.document['paths'][path][verb]
            is_deprecated = 'deprecated::' in (inspect.getdoc(method) or '')
            self.assertEqual(is_deprecated, operation.get('deprecated', False), method)


def names_of(method: Any) -> Set[str]:
    return set(inspect.signature(method).parameters)


if __name__ == '__main__':
    unittest.main()
