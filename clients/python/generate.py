"""Regenerates src/petstore_client/_openapi.py from openapi.json: python3 clients/python/generate.py"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict, List

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / 'openapi.json'
TYPES = HERE / 'src/petstore_client/_openapi.py'


def generate_types() -> str:
    """The public types of the client, from the committed OpenAPI document."""
    schemas = json.loads(DOCUMENT.read_text(encoding='utf-8'))['components']['schemas']
    error_codes = schemas['Error']['properties']['code']['x-extensible-enum']
    lines = [
        '# Made from openapi.json by `python3 clients/python/generate.py`.',
        'from __future__ import annotations',
        '',
        'from dataclasses import dataclass',
        'from typing import Literal',
        '',
        *literal('PetStatus', schemas['PetStatus']['enum'], schemas['PetStatus']['description']),
        '',
        *literal('ErrorCode', error_codes, 'The error codes of the service.'),
        '',
        '',
        *record('Pet', schemas['Pet']),
    ]
    return '\n'.join(lines) + '\n'


def literal(name: str, values: List[str], description: str) -> List[str]:
    return [f'#: {description}', f'{name} = Literal[', *(f'    {v!r},' for v in values), ']']


def record(name: str, schema: Dict[str, Any]) -> List[str]:
    lines = ['@dataclass(frozen=True)', f'class {name}:', f'    """{schema["description"]}"""', '']
    for member, member_schema in schema['properties'].items():
        if 'description' in member_schema:
            lines.append(f'    #: {member_schema["description"]}')
        lines.append(f'    {snake_case(member)}: {type_of(member_schema)}')
    assert set(schema['required']) == set(schema['properties']), 'A member may be absent.'
    return lines


def type_of(schema: Dict[str, Any]) -> str:
    if '$ref' in schema:
        return str(schema['$ref'].split('/')[-1])
    return {'integer': 'int', 'string': 'str'}[schema['type']]


def snake_case(name: str) -> str:
    return re.sub(r'(?<=[a-z])[A-Z]', lambda letter: f'_{letter[0].lower()}', name)


if __name__ == '__main__':
    TYPES.write_text(generate_types(), encoding='utf-8')
