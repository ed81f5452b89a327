"""Gateways behind HAProxy are restarted one after the other, and no request fails.

`ROLLING_RESTART_REQUESTS=30000` sends more requests than the suite does.
"""

import http.client
import os
import signal
import ssl
import threading

import pytest
import requests

import gateway
from certificates import create_certificate
from client import PASSWORD, Client, ok_body
from haproxy import haproxy
from installation import Installation, new_database

REQUESTS = int(os.environ.get("ROLLING_RESTART_REQUESTS", "4000"))
# Each has a connection to HAProxy. HAProxy has two event loops here, as the gateways.
CLIENTS = 8

pytestmark = pytest.mark.slow


class Load:
    """Clients that refresh and look up the account without a pause, and count what they get."""

    def __init__(self, port, certificate, sessions):
        self.failures = []
        self.done = 0
        self._lock = threading.Lock()
        self._tls = ssl.create_default_context(cafile=certificate.file)
        self._port = port
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(session,)) for session in sessions]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception):
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _run(self, session):
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=30, context=self._tls)
        api_key, refresh_token, id_token = session
        while not self._ended.is_set():
            status, body = self._send(
                connection, f"/v1/token?key={api_key}", "application/x-www-form-urlencoded",
                f"grant_type=refresh_token&refresh_token={refresh_token}")
            if status == 200:
                refresh_token, id_token = body["refresh_token"], body["id_token"]
            self._send(
                connection, f"/v1/accounts:lookup?key={api_key}", "application/json", f'{{"idToken":"{id_token}"}}')
        connection.close()

    def _send(self, connection, path, content_type, content):
        try:
            connection.request("POST", path, content, {"Content-Type": content_type, "Host": "auth.example.com"})
            response = connection.getresponse()
            text = response.read()
            status, body = response.status, requests.models.complexjson.loads(text) if text.startswith(b"{") else text
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            status, body = 0, repr(error)
        with self._lock:
            self.done += 1
            if status != 200:
                self.failures.append((status, str(body)[:200]))
        return status, body


@pytest.fixture
def gateways(folder, dev):
    """Two installations on one database, with the delay of `serve`."""
    first = Installation(folder, new_database(dev.database_url)).with_project()
    first.environment |= {"SEKISHO_TRUSTED_PROXIES": "127.0.0.0/8"}
    del first.environment["SEKISHO_DRAIN_DELAY_SECONDS"]
    return [first, first.second_gateway()]


def served(serve):
    """The number of requests of the load that a gateway has answered."""
    return serve.metric("sekisho_requests_total", 'operation="lookUpOwnAccount".*')


def test_a_rolling_restart_loses_no_request(gateways, contract, tmp_path):
    certificate, port = create_certificate(tmp_path, "auth.example.com"), gateway.free_port()
    pem = tmp_path / "auth.example.com.pem"
    pem.write_text(certificate.file.read_text() + certificate.key_file.read_text())
    pem.chmod(0o600)
    changes = {
        "maxconn 8000": "maxconn 200", "bind :443": f"bind 127.0.0.1:{port}", "/etc/haproxy/auth.example.com.pem": str(pem),
        **{address: installation.environment["SEKISHO_LISTEN"]
           for address, installation in zip(("10.0.0.11:8080", "10.0.0.12:8080"), gateways)}}
    api_key = gateways[0].create_api_key()

    def is_ready():
        try:
            response = requests.get(f"https://127.0.0.1:{port}/", verify=certificate.file, timeout=30)
        except requests.ConnectionError:
            return False
        return response.status_code == 404

    running = [installation.starting(api_key) for installation in gateways]
    processes = [serve.__enter__() for serve in running]
    try:
        for process in processes:
            gateway.wait_for(process.is_ready, process.process, process.log)
        client = Client(processes[0], contract)
        ada = client.new_account()
        sessions = [
            ok_body(client.call("signInWithPassword", {"email": ada["email"], "password": PASSWORD}))
            for _ in range(CLIENTS)]
        with haproxy(tmp_path, "haproxy.cfg", changes, is_ready):
            assert requests.get(
                f"https://127.0.0.1:{port}/metrics", verify=certificate.file, timeout=30).status_code == 404
            load = Load(port, certificate, [
                (api_key, session["refreshToken"], session["idToken"]) for session in sessions])
            with load:
                while load.done < REQUESTS:
                    for index, installation in enumerate(gateways):
                        assert gateway.stop(processes[index].process, signal.SIGTERM) == 0
                        running[index].__exit__(None, None, None)
                        running[index] = installation.starting(api_key)
                        processes[index] = running[index].__enter__()
                        gateway.wait_for(
                            processes[index].is_ready, processes[index].process, processes[index].log)
                        # Only when HAProxy has found the new process, the next one is stopped.
                        assert gateway.eventually(lambda: served(processes[index]) > 10)
            assert load.failures == [], f"{len(load.failures)} of {load.done} requests failed"
    finally:
        for serve in running:
            serve.__exit__(None, None, None)
