"""The listener for monitoring (SEKISHO_OPERATIONS_LISTEN) and the main listener serve different operations."""

import pytest
import requests

import gateway

MONITORING = {"/healthz": 200, "/readyz": 200, "/metrics": 200}
OTHER_PATHS = [
    "/", "/docs", "/openapi.json", "/.well-known/jwks.json", "/demo/.well-known/openid-configuration",
    "/__/auth/action", "/v1/projects?key=KEY", "/v1/accounts:signUp?key=KEY", "/dev/emails",
]


@pytest.fixture(scope="module")
def monitored(installation):
    """A `sekisho serve` with a listener for monitoring, and the URL of that listener."""
    second = installation.second_gateway()
    address = f"127.0.0.1:{gateway.free_port()}"
    with second.starting(second.create_api_key(), SEKISHO_OPERATIONS_LISTEN=address) as serve:
        url = f"http://{address}"
        gateway.wait_for(lambda: gateway.has_status_200(url + "/readyz"), serve.process, serve.log)
        yield serve, url


def test_only_the_listener_for_monitoring_serves_monitoring(monitored):
    serve, url = monitored
    for path in MONITORING:
        response = requests.get(url + path, headers={"Origin": "https://evil.example"}, timeout=30)
        assert response.status_code == 200
        assert "Access-Control-Allow-Origin" not in response.headers
        for method in ["GET", "HEAD", "POST"]:
            assert requests.request(method, serve.url + path, timeout=30).status_code == 404
    assert "sekisho_requests_total" in requests.get(url + "/metrics", timeout=30).text


@pytest.mark.parametrize("path", OTHER_PATHS)
def test_the_listener_for_monitoring_serves_nothing_else(monitored, path):
    serve, url = monitored
    path = path.replace("KEY", serve.api_key)
    for method in ["GET", "POST", "OPTIONS"]:
        response = requests.request(method, url + path, timeout=30)
        assert response.status_code == (204 if method == "OPTIONS" else 404), response.text
    assert requests.get(serve.url + "/v1/projects", params={"key": serve.api_key}, timeout=30).status_code == 200


def test_an_address_in_use_is_reported(installation):
    second = installation.second_gateway()
    completed = second.run("serve", SEKISHO_OPERATIONS_LISTEN=second.environment["SEKISHO_LISTEN"])
    assert completed.returncode == 1
    assert f"cannot listen on {second.environment['SEKISHO_LISTEN']}" in completed.stderr


def test_an_invalid_address_is_reported(installation):
    completed = installation.run("check", SEKISHO_OPERATIONS_LISTEN="localhost:9090")
    assert completed.returncode == 2
    assert "SEKISHO_OPERATIONS_LISTEN" in completed.stderr
