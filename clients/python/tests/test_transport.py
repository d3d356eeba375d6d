"""Attempts, errors, hooks and pages, without a network."""

from __future__ import annotations

import inspect
import json
import logging
import math
import time
import unittest
import warnings
from typing import Any, Callable, Dict, List, Optional, Type, Union

from petstore_client import (
    ApiKeyError,
    BannedError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    Pet,
    PetstoreError,
    RateLimitError,
    RequestEvent,
    ResponseEvent,
    ScopeError,
    ServiceError,
    TimeoutError,
    WaitEvent,
)
from petstore_client._hooks import Hooks
from petstore_client._http import HttpFailure, HttpRequest, HttpResponse

from .support.fake_clock import settle
from .support.kinds import Kind, for_both_clients
from .support.processes import transport_on

LINK = '<https://petstore.example/v1/pets>; rel="first"'
REX = {'id': 1, 'name': 'Rex', 'categoryId': 7, 'status': 'available'}
Reply = Union[HttpResponse, HttpFailure]


def answer(body: object, status: int = 200, /, **headers: str) -> HttpResponse:
    text = body if isinstance(body, str) else json.dumps(body)
    headers = {name.replace('_', '-'): value for name, value in {'link': LINK, **headers}.items()}
    return HttpResponse(status, headers, text.encode())


def refusal(status: int, code: str, **headers: str) -> HttpResponse:
    return answer({'code': code, 'message': f'It is {code}.', 'status': status}, status, **headers)


class Scripted:
    """Pets on a fake clock, with these replies in turn. The last one is repeated."""

    def __init__(self, kind: Kind, *replies: Reply, **options: Any) -> None:
        self.clock = kind.new_clock()
        self.sent: List[HttpRequest] = []
        self.sent_at: List[float] = []
        self.timeouts: List[float] = []
        self._replies = list(replies)
        self.pets = kind.new_pets(transport_on(self.clock, self._send, **options))

    async def _send(
        self, request: HttpRequest, timeout: float, on_head: Callable[[], object]
    ) -> HttpResponse:
        self.sent.append(request)
        self.sent_at.append(self.clock.now())
        self.timeouts.append(timeout)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, HttpFailure):
            if reply.is_timeout:
                await self.clock.sleep(timeout)
            raise reply
        on_head()
        return reply

    def run(self, call: Callable[[Any], Any]) -> Any:
        """What a call returns, or the error that it raises."""
        results: List[Any] = []

        async def work() -> None:
            try:
                results.append(await settle(call(self.pets)))
            except PetstoreError as error:
                results.append(error)

        self.clock.spawn(work)
        self.clock.run()
        return results[0]


def create(pets: Any) -> Any:
    return pets.create(name='Rex', category_id=7)


async def pets_of(pages: Any) -> List[Pet]:
    """All animals, from a page to the last."""
    return [pet async for pet in pages] if hasattr(pages, '__aiter__') else list(pages)


class ScriptTest:
    kind: Kind

    def script(self, *replies: Reply, **options: Any) -> Scripted:
        return Scripted(self.kind, *replies, **options)


@for_both_clients
class AttemptsTest(ScriptTest):
    def test_each_attempt_has_its_own_request_id_and_all_have_the_same_idempotency_key(
        self,
    ) -> None:
        script = self.script(answer(''), HttpFailure('reset'), answer('', 502), answer(REX, 201))
        script.run(lambda pets: pets.list())
        self.assertEqual(script.run(create), Pet(1, 'Rex', 7, 'available'))
        sent = [request.headers for request in script.sent[1:]]
        self.assertEqual(len({headers['X-Request-Id'] for headers in sent}), 3)
        self.assertEqual(len({headers['Idempotency-Key'] for headers in sent}), 1)
        self.assertRegex(sent[0]['Idempotency-Key'], '^[0-9a-f]{32}$')

    def test_two_creations_have_different_idempotency_keys(self) -> None:
        script = self.script(answer(REX, 201))
        script.run(create)
        script.run(create)
        first, second = (request.headers['Idempotency-Key'] for request in script.sent)
        self.assertNotEqual(first, second)

    def test_the_body_has_the_bytes_that_the_typescript_client_sends(self) -> None:
        script = self.script(answer(REX, 201))
        script.run(lambda pets: pets.create(name='Ré\n"x"\u2028🐕', category_id=7, status='sold'))
        self.assertEqual(
            script.sent[0].body,
            '{"categoryId":7,"name":"Ré\\n\\"x\\"\u2028🐕","status":"sold"}'.encode(),
        )

    def test_pauses_double_and_a_call_without_time_for_another_attempt_raises_its_last_error(
        self,
    ) -> None:
        script = self.script(refusal(500, 'internal_error'), share=0.999)
        error = script.run(lambda pets: pets.list(timeout=7))
        self.assertIsInstance(error, ServiceError)
        self.assertEqual((error.status, error.code, error.retry_at), (500, 'internal_error', None))
        pauses = [b - a for a, b in zip(script.sent_at, script.sent_at[1:])]
        self.assertEqual([round(p, 2) for p in pauses], [0.25, 0.5, 1, 2])

    def test_a_silent_service_is_a_timeout_error_when_the_time_is_over(self) -> None:
        script = self.script(HttpFailure('no response arrived in time', is_timeout=True))
        error = script.run(lambda pets: pets.list(timeout=70))
        self.assertIsInstance(error, TimeoutError)
        self.assertEqual((error.code, error.status), ('timeout', None))
        self.assertEqual(script.clock.now(), 70)
        self.assertEqual(script.timeouts, [30, 30, 10])

    def test_a_wrong_address_is_reported_within_two_seconds(self) -> None:
        script = self.script(HttpFailure('Connection refused'), share=0.999)
        error = script.run(create)
        self.assertIsInstance(error, NetworkError)
        self.assertEqual(
            error.message,
            'https://petstore.example/v1 could not be reached: Connection refused. Check base_url.',
        )
        self.assertLessEqual(script.clock.now(), 2)
        self.assertEqual(len(script.sent), 4)

    def test_an_address_that_has_answered_before_is_tried_for_longer(self) -> None:
        script = self.script(answer([]), HttpFailure('Connection refused'), share=0.999)
        script.run(lambda pets: pets.list())
        error = script.run(lambda pets: pets.list(timeout=40))
        self.assertEqual(
            error.message,
            'No complete response arrived from https://petstore.example/v1: Connection refused.',
        )
        self.assertGreater(script.clock.now(), 20)

    def test_max_retries_limits_how_often_a_call_is_sent_again(self) -> None:
        for of_client, of_call, expected in [(2, None, 3), (2, 0, 1), (0, 4, 5), (math.inf, 1, 2)]:
            script = self.script(answer('', 502), max_retries=of_client)
            script.run(lambda pets: pets.list(max_retries=of_call))
            self.assertEqual(len(script.sent), expected)

    def test_a_response_that_is_too_large_is_not_requested_again(self) -> None:
        too_large = HttpFailure('the response is too large', is_permanent=True)
        script = self.script(answer([]), too_large)
        script.run(lambda pets: pets.list())
        self.assertIsInstance(script.run(lambda pets: pets.list()), NetworkError)
        self.assertEqual(len(script.sent), 2)

    def test_a_call_without_time_sends_nothing(self) -> None:
        for timeout in (0, -1, -math.inf):
            script = self.script(answer([]))
            error = script.run(lambda pets: pets.list(timeout=timeout))
            self.assertIsInstance(error, TimeoutError)
            self.assertEqual(script.sent, [])

    def test_options_that_are_not_numbers_are_rejected(self) -> None:
        def reject(kind: Type[Exception], **options: Any) -> None:
            with self.assertRaises(kind):
                self.script(answer([])).run(lambda pets: pets.list(**options))

        wrong: Any
        for wrong in ('5', True, [5]):
            reject(TypeError, timeout=wrong)
            reject(TypeError, max_retries=wrong)
        for wrong in (math.nan, -1, 0.5):
            reject(ValueError, max_retries=wrong)
        reject(ValueError, timeout=math.nan)


@for_both_clients
class ErrorsTest(ScriptTest):
    def test_each_status_has_its_class(self) -> None:
        for status, code, kind in [
            (400, 'invalid_body', InvalidRequestError),
            (401, 'invalid_api_key', ApiKeyError),
            (403, 'https_required', InvalidRequestError),
            (403, 'insufficient_scope', ScopeError),
            (404, 'pet_not_found', NotFoundError),
            (409, 'idempotency_in_progress', TimeoutError),
            (408, 'request_timeout', TimeoutError),
            (410, 'operation_removed', InvalidRequestError),
            (418, 'a_code_of_the_future', InvalidRequestError),
            (422, 'idempotency_key_reused', InvalidRequestError),
            (503, 'service_unavailable', ServiceError),
        ]:
            script = self.script(refusal(status, code, x_request_id='abc'))
            error = script.run(lambda pets: pets.list(max_retries=0))
            self.assertIs(type(error), kind)
            self.assertEqual((error.status, error.code), (status, code))
            self.assertEqual(error.message, f'It is {code}.')
            self.assertEqual(str(error), f'It is {code}. ({status} {code}, request id abc)')
            self.assertEqual(error.request_id, 'abc')

    def test_refusals_by_the_limits_say_when_to_come_back(self) -> None:
        for code, kind in [
            ('rate_limit_exceeded', RateLimitError),
            ('api_key_banned', BannedError),
        ]:
            limits = {
                'x_ratelimit_limit': '60',
                'x_ratelimit_remaining': '0',
                'x_ratelimit_reset': '600',
            }
            script = self.script(refusal(429, code, retry_after='600', **limits))
            error = script.run(lambda pets: pets.list())
            self.assertIs(type(error), kind)
            self.assertEqual(error.retry_at.timestamp(), 600)
            self.assertEqual(error.retry_after, 600)
            self.assertEqual(len(script.sent), 1)

    def test_retry_after_may_be_a_date(self) -> None:
        date = 'Tue, 01 Dec 2026 12:00:00 GMT'
        later = 'Tue, 01 Dec 2026 12:00:30 GMT'
        script = self.script(
            refusal(503, 'service_unavailable', retry_after=later, date=date), answer([])
        )
        script.run(lambda pets: pets.list())
        self.assertEqual(script.sent_at, [0, 30])

    def test_absurd_values_of_retry_after_do_no_harm(self) -> None:
        for text in ('9' * 5_000, '-1', 'soon', 'Tue, 99 Dec 2026 12:00:00 GMT', '1.5', '٣'):
            script = self.script(refusal(429, 'rate_limit_exceeded', retry_after=text))
            error = script.run(lambda pets: pets.list(timeout=0.5))
            self.assertIsInstance(error, RateLimitError)

    def test_a_wrong_path_of_base_url_is_pointed_out(self) -> None:
        for base_url, hint in [
            ('https://petstore.example/v1', 'Check base_url: https://petstore.example/v1.'),
            (
                'https://petstore.example',
                'base_url is https://petstore.example; did you mean https://petstore.example/v1?',
            ),
            (
                'https://petstore.example/v1/pets',
                'base_url is https://petstore.example/v1/pets; '
                'did you mean https://petstore.example/v1?',
            ),
        ]:
            script = self.script(refusal(404, 'route_not_found'), base_url=base_url)
            error = script.run(lambda pets: pets.list())
            self.assertIsInstance(error, NotFoundError)
            self.assertEqual(error.message, f'It is route_not_found. {hint}')
            self.assertEqual(len(script.sent), 1)

    def test_answers_of_other_servers_are_service_errors(self) -> None:
        for reply in [
            answer('<html>', 403),
            answer('{"code": 5}', 404),
            answer('[' * 100_000),
            HttpResponse(200, {'link': LINK}, b'\xff\xfe'),
            answer({}),
            answer([5]),
            answer([{**REX, 'id': True}]),
            answer([{**REX, 'id': 2**63}]),
            answer([{**REX, 'id': '1'}]),
            answer([{**REX, 'categoryId': 1.5}]),
            answer([{**REX, 'status': None}]),
            HttpResponse(200, {}, b'[]'),
            answer([], link='<https://petstore.example/v1/pets?limit=20>; rel="next"'),
            answer([], link='<https://[::1/v1/pets?cursor=c>; rel="next"'),
        ]:
            error = self.script(reply).run(lambda pets: pets.list())
            self.assertIsInstance(error, ServiceError, reply)
            self.assertEqual(error.code, 'unexpected_answer')
            self.assertRegex(error.message, '^The response does not come from a Petstore. Check')

    def test_redirects_are_not_followed(self) -> None:
        script = self.script(answer('', 307, location='https://else\x1bwhere.example/'))
        error = script.run(lambda pets: pets.list())
        self.assertIsInstance(error, ServiceError)
        self.assertIn('redirects to https://elsewhere.example/, which', error.message)
        self.assertEqual(len(script.sent), 1)

    def test_errors_show_nothing_that_controls_a_terminal(self) -> None:
        bad = '\x1b[2J\x07\x9b\r\n\u202e\u200b\ud800'
        script = self.script(
            answer({'code': f'a{bad}b', 'message': f'Käse{bad} 🐕.'}, 418, x_request_id=f'c{bad}d')
        )
        error = script.run(lambda pets: pets.list())
        self.assertEqual(str(error), 'Käse[2J 🐕. (418 a[2Jb, request id c[2Jd)')
        self.assertEqual(error.request_id, 'c[2Jd')

    def test_values_that_cannot_be_sent_are_rejected(self) -> None:
        def reject(kind: Type[Exception], **values: Any) -> None:
            script = self.script(answer(REX))
            with self.assertRaises(kind):
                script.run(lambda pets: pets.create(**{'name': 'Rex', 'category_id': 7, **values}))
            self.assertEqual(script.sent, [])

        category_id: Any
        for category_id in (2**63, -(2**63) - 1):
            reject(ValueError, category_id=category_id)
        for category_id in (1.5, '7', None, True):
            reject(TypeError, category_id=category_id)
        for key in ('ä', 'a\nb', ' a', 'a\r\nX: y'):
            reject(ValueError, idempotency_key=key)
        reject(ValueError, name='\ud800')


@for_both_clients
class PagesTest(ScriptTest):
    def pages(self, count: int) -> Scripted:
        replies = []
        for number in range(1, count + 1):
            # Only the cursor is taken from the address.
            following = f'<https://elsewhere.example/v1/pets?cursor=c%2B{number}>; rel="next", '
            link = (following if number < count else '') + LINK
            replies.append(answer([{**REX, 'id': number, 'categoryId': 2**63 - 1}], link=link))
        return self.script(*replies)

    def test_an_iteration_loads_each_page_when_it_is_needed(self) -> None:
        script = self.pages(3)
        page = script.run(lambda pets: pets.list(status='sold', limit=1))
        self.assertEqual(len(script.sent), 1)
        ids = [(pet.id, pet.category_id) for pet in script.run(lambda _: pets_of(page))]
        self.assertEqual(ids, [(1, 2**63 - 1), (2, 2**63 - 1), (3, 2**63 - 1)])
        base = '/pets?limit=1&status=sold'
        self.assertEqual(
            [request.path for request in script.sent],
            [base, f'{base}&cursor=c%2B1', f'{base}&cursor=c%2B2'],
        )

    def test_an_iteration_ends_at_a_page_that_names_itself_as_the_next_one(self) -> None:
        link = f'<https://petstore.example/v1/pets?cursor=c>; rel="next", {LINK}'
        script = self.script(*(answer([REX], link=link) for _ in range(3)))
        page = script.run(lambda pets: pets.list())
        self.assertIsInstance(script.run(lambda _: pets_of(page)), ServiceError)
        self.assertEqual(len(script.sent), 2)

    def test_a_link_that_never_ends_takes_no_time(self) -> None:
        script = self.script(answer([], link='<' * 60_000))
        used = time.process_time()
        self.assertIsNone(script.run(lambda pets: pets.list()).next_cursor)
        self.assertLess(time.process_time() - used, 5)

    def test_pages_can_be_loaded_one_by_one(self) -> None:
        script = self.pages(2)
        first = script.run(lambda pets: pets.list())
        self.assertEqual(first.next_cursor, 'c+1')
        second = script.run(lambda _: first.next_page())
        self.assertEqual([pet.id for pet in second.pets], [2])
        self.assertIsNone(second.next_cursor)
        self.assertIsNone(script.run(lambda _: second.next_page()))

    def test_a_page_can_be_iterated_again(self) -> None:
        script = self.pages(1)
        page = script.run(lambda pets: pets.list())
        self.assertEqual(*(script.run(lambda _: pets_of(page)) for _ in range(2)))


@for_both_clients
class HooksTest(ScriptTest):
    def test_hooks_see_each_request_its_response_and_each_wait(self) -> None:
        events: List[Any] = []
        hooks = Hooks(events.append, events.append, events.append)
        replies = [answer('', 502), HttpFailure('reset'), answer([])]
        script = self.script(*replies, share=0.5, hooks=hooks)
        script.run(lambda pets: pets.list(limit=1))
        self.assertEqual(
            [type(event).__name__ for event in events],
            ['RequestEvent', 'ResponseEvent', 'WaitEvent'] * 2 + ['RequestEvent', 'ResponseEvent'],
        )
        self.assertEqual([event.attempt for event in events], [1, 1, 2, 2, 2, 3, 3, 3])
        for event in events:
            self.assertEqual(event.method, 'GET')
            self.assertEqual(event.url, 'https://petstore.example/v1/pets?limit=1')
        responses = [event for event in events if isinstance(event, ResponseEvent)]
        self.assertEqual([event.status for event in responses], [502, None, 200])
        self.assertEqual(
            [type(event.error) for event in responses], [ServiceError, NetworkError, type(None)]
        )
        waits = [event for event in events if isinstance(event, WaitEvent)]
        self.assertEqual([event.wait for event in waits], [0.125, 0.25])
        self.assertEqual([type(event.error) for event in waits], [ServiceError, NetworkError])
        requests = [event for event in events if isinstance(event, RequestEvent)]
        self.assertEqual(
            [event.request_id for event in requests], [event.request_id for event in responses]
        )

    def test_a_hook_that_changes_the_headers_does_not_change_the_call(self) -> None:
        hooks = Hooks(on_response=lambda event: event.headers.clear())  # type: ignore
        page = self.script(answer([REX]), hooks=hooks).run(lambda pets: pets.list())
        self.assertEqual(len(page.pets), 1)

    def test_an_error_of_a_hook_is_logged_and_changes_nothing(self) -> None:
        def fail(event: object) -> None:
            raise RuntimeError('broken')

        replies = [answer('', 502), answer([REX])]
        script = self.script(*replies, share=0.5, hooks=Hooks(fail, fail, fail))
        with self.assertLogs('petstore_client', logging.ERROR) as logs:
            page = script.run(lambda pets: pets.list())
        self.assertEqual(len(page.pets), 1)
        self.assertEqual(len(logs.records), 5)


@for_both_clients
class DeprecationTest(ScriptTest):
    def warning_of(self, **headers: str) -> Optional[Dict[str, str]]:
        script = self.script(answer(REX, **headers))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')

            async def get(pets: Any) -> None:
                pet = pets.get(1)
                if inspect.isawaitable(pet):
                    await pet

            script.run(get)
        if not caught:
            return None
        [warning] = caught
        self.assertIs(warning.category, DeprecationWarning)
        return {'message': str(warning.message), 'file': warning.filename}

    def test_a_deprecated_operation_warns_with_its_dates_where_it_is_called(self) -> None:
        warning = self.warning_of(deprecation='@1764892800', sunset='Thu, 05 Dec 2030 00:00:00 GMT')
        assert warning
        self.assertEqual(
            warning['message'],
            'pets.get has been deprecated since 2025-12-05 and will be removed on 2030-12-05.',
        )
        self.assertEqual(warning['file'], __file__)

    def test_without_a_valid_date_of_removal_it_says_only_since_when(self) -> None:
        too_late = 'Thu, 05 Dec 99999999999999999999 00:00:00 GMT'
        for sunset in ({}, {'sunset': 'one day'}, {'sunset': too_late}):
            warning = self.warning_of(deprecation='@1764892800', **sunset)
            assert warning
            self.assertEqual(warning['message'], 'pets.get has been deprecated since 2025-12-05.')

    def test_other_operations_do_not_warn(self) -> None:
        self.assertIsNone(self.warning_of())
        self.assertIsNone(self.warning_of(deprecation='true'))


if __name__ == '__main__':
    unittest.main()
