"""Bodies that common HTTP clients send: chunked, compressed, or to a URL in absolute form."""

import gzip
import http.client
import json
from urllib.parse import urlsplit

import pytest
import requests

BODY = json.dumps({"returnSecureToken": True}).encode()


def sign_up(gateway, data, **headers):
    return requests.post(
        f"{gateway.url}/v1/accounts:signUp?key={gateway.api_key}", data=data, timeout=30,
        headers={"Content-Type": "application/json", "Origin": "https://app.example"} | headers)


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (iter([BODY[:5], BODY[5:]]), {}),
        (gzip.compress(BODY), {"Content-Encoding": "gzip"}),
        (iter([gzip.compress(BODY)]), {"Content-Encoding": "gzip"}),
    ], ids=["chunked", "gzip", "chunked gzip"])
def test_a_chunked_or_compressed_body_signs_up(serve, data, headers):
    assert "idToken" in sign_up(serve, data, **headers).json()


def test_a_target_in_absolute_form_is_accepted(serve):
    host = urlsplit(serve.url)
    connection = http.client.HTTPConnection(host.hostname, host.port, timeout=30)
    target = f"{serve.url}/v1/accounts:signUp?key={serve.api_key}"
    connection.request("POST", target, BODY, {"Content-Type": "application/json"})
    assert "idToken" in json.load(connection.getresponse())


def test_a_target_that_is_too_long_is_answered_with_json_that_a_page_can_read(serve):
    response = requests.get(f"{serve.url}/v1/projects?key={'a' * 20000}", timeout=30)
    assert (response.status_code, response.json()["error"]["errorCode"]) == (414, "URI_TOO_LONG")
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_a_head_that_is_too_large_is_answered_with_text_that_a_page_can_read(serve):
    response = requests.get(f"{serve.url}/v1/projects", headers={"X-A": "a" * 20000}, timeout=30)
    assert response.status_code == 431
    assert response.headers["Content-Type"].startswith("text/plain")
    assert response.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    ("data", "headers", "status", "code"),
    [
        (b"x" * 65537, {}, 413, "REQUEST_TOO_LARGE"),
        (iter([b"x" * 65537]), {}, 413, "REQUEST_TOO_LARGE"),
        (gzip.compress(b" " * 65537), {"Content-Encoding": "gzip"}, 413, "REQUEST_TOO_LARGE"),
        (BODY, {"Content-Encoding": "br"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        (BODY, {"Content-Encoding": "gzip"}, 400, "INVALID_ARGUMENT"),
    ], ids=["too large", "too large chunked", "too large after decoding", "unknown coding", "not gzip"])
def test_a_rejected_body_is_answered_with_json_that_a_page_can_read(serve, data, headers, status, code):
    response = sign_up(serve, data, **headers)
    assert (response.status_code, response.json()["error"]["errorCode"]) == (status, code)
    assert response.headers["Access-Control-Allow-Origin"] == "https://app.example"
