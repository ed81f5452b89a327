"""nginx and HAProxy in front of two gateways, with the files of Deploy/ha: TLS, HTTP/2, and a gateway that leaves."""

import signal
import subprocess
from collections import Counter
from contextlib import contextmanager

import pytest
import requests

import gateway
from certificates import create_certificate
from haproxy import haproxy
from nginx import nginx_running
from servers import ROOT, changed_text

HOST = "auth.example.com"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return create_certificate(tmp_path_factory.mktemp("certificate"), HOST)


@pytest.fixture
def gateways(new_installation):
    """Two gateways behind a load balancer, and the API key of their project."""
    first = new_installation()
    first.environment["SEKISHO_TRUSTED_PROXIES"] = "127.0.0.0/8"
    api_key = first.create_api_key()
    with first.starting(api_key) as a, first.second_gateway().starting(api_key) as b:
        for serve in (a, b):
            gateway.wait_for(serve.is_ready, serve.process, serve.log)
        yield a, b


@contextmanager
def load_balancer(name, folder, gateways, certificate):
    """Runs a load balancer and yields its port."""
    port = gateway.free_port()

    def is_ready():
        return curl(port, certificate, "/nowhere") == ["2 404"]

    addresses = {
        address: serve.url.removeprefix("http://")
        for address, serve in zip(("10.0.0.11:8080", "10.0.0.12:8080"), gateways)}
    if name == "nginx":
        site = changed_text(ROOT / "Deploy/ha/nginx.conf", {
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl", f"/etc/ssl/{HOST}.pem": str(certificate.file),
            f"/etc/ssl/{HOST}.key": str(certificate.key_file), **addresses})
        running = nginx_running(folder, site, is_ready)
    else:
        pem = folder / f"{HOST}.pem"
        pem.write_text(certificate.file.read_text() + certificate.key_file.read_text())
        pem.chmod(0o600)
        running = haproxy(folder, "haproxy.cfg", {
            "maxconn 8000": "maxconn 200", "bind :443": f"bind 127.0.0.1:{port}", f"/etc/haproxy/{HOST}.pem": str(pem),
            **addresses}, is_ready)
    with running:
        yield port


def curl(port, certificate, *paths, body=None):
    """Sends requests at the same time, over one connection if the server has HTTP/2.

    Returns their protocol versions and statuses.
    """
    command = [
        "curl", "--silent", "--parallel", "--http2", "--cacert", certificate.file,
        "--resolve", f"{HOST}:{port}:127.0.0.1", "--write-out", "%{http_version} %{http_code}\\n"]
    if body is not None:
        command += ["--header", "Content-Type: application/json", "--data", body]
    for path in paths:
        command += ["--output", "/dev/null", f"https://{HOST}:{port}{path}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.splitlines()


@pytest.mark.parametrize("name", ["nginx", "haproxy"])
def test_clients_use_http_2_and_lose_no_request_when_a_gateway_leaves(name, tmp_path, gateways, certificate):
    with load_balancer(name, tmp_path, gateways, certificate) as port:
        sign_up = f"/v1/accounts:signUp?key={gateways[0].api_key}"
        assert Counter(curl(port, certificate, *[sign_up] * 40, body="{}")) == {"2 200": 40}
        assert all(serve.metric("sekisho_requests_total", 'operation="signUp".*') > 0 for serve in gateways)
        assert curl(port, certificate, "/metrics", "/readyz", "/healthz") == ["2 404"] * 3
        response = requests.post(f"https://localhost:{port}{sign_up}", json={}, verify=certificate.file, timeout=30)
        assert response.status_code == 200 and "max-age" in response.headers["Strict-Transport-Security"]
        assert gateway.stop(gateways[0].process, signal.SIGTERM) == 0
        assert Counter(curl(port, certificate, *[sign_up] * 40, body="{}")) == {"2 200": 40}
