"""Runs samples in Python one after another in one process: sample_runner.py CALLS. Prints how they ended, as JSON."""

import contextlib
import io
import json
import os
import sys
import time
import traceback

with open(sys.argv[1], encoding='utf-8') as calls:
    samples = json.load(calls)

endings = []
for sample in samples:
    os.environ.update(sample['env'])
    output, errors = io.StringIO(), io.StringIO()
    has_failed = False
    with open(sample['file'], encoding='utf-8') as file:
        code = compile(file.read(), sample['file'], 'exec')
    started_at = time.monotonic()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            exec(code, {'__name__': '__main__'})
        except BaseException:
            has_failed = True
            traceback.print_exc()
    endings.append(
        {
            'output': output.getvalue(),
            'errors': errors.getvalue(),
            'hasFailed': has_failed,
            'seconds': time.monotonic() - started_at,
        }
    )
print(json.dumps(endings))
