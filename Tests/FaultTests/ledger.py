"""A ledger of acknowledged writes under load, which a test compares with what the gateways know after a fault."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import requests

import gateway

TIMEOUT_SECONDS = 30


@dataclass
class Session:
    account: str
    refresh_token: str
    id_token: str


@dataclass
class Ledger:
    """Sign-ups and refreshes by several clients, each with sessions of its own."""

    gateways: list
    sessions: list = field(default_factory=list)
    # The responses that were neither successes nor 503: each would sign a user out or is a defect.
    rejections: list = field(default_factory=list)
    unavailable: int = 0
    requests: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def load(self, clients=8, refreshes=None):
        """Runs clients until the block ends. Each signs up and then refreshes its session at every gateway.

        After this many `refreshes`, it signs up again; `None`: never.
        """
        end = threading.Event()
        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(self._run, number, refreshes, end) for number in range(clients)]
            try:
                yield self
            finally:
                end.set()
        for client in running:
            client.result()

    def _run(self, number, refreshes, end):
        web = requests.Session()
        session, age = None, 0
        while not end.is_set():
            serve = self.gateways[number % len(self.gateways)]
            number += 1
            if session is None or age == refreshes:
                session, age = self.sign_up(web, serve), 0
            else:
                session, age = self.refresh(web, serve, session), age + 1

    def sign_up(self, web, serve):
        body = self._post(web, serve, "/v1/accounts:signUp", {})
        if body:
            session = Session(body["localId"], body["refreshToken"], body["idToken"])
            with self.lock:
                self.sessions.append(session)
            return session

    def refresh(self, web, serve, session):
        json = {"grant_type": "refresh_token", "refresh_token": session.refresh_token}
        if body := self._post(web, serve, "/v1/token", json):
            session.refresh_token, session.id_token = body["refresh_token"], body["id_token"]
        return session

    def look_up(self, web, serve, session):
        return self._post(web, serve, "/v1/accounts:lookup", {"idToken": session.id_token})

    def _post(self, web, serve, path, json):
        """Returns the body of a success. Waits a little after a 503 or a failed connection, as clients do."""
        try:
            response = web.post(
                f"{serve.url}{path}", params={"key": serve.api_key}, json=json, timeout=TIMEOUT_SECONDS)
        except requests.ConnectionError:
            status, response = 503, None
        else:
            status = response.status_code
        with self.lock:
            self.requests += 1
            self.unavailable += status == 503
            if status not in (200, 503):
                self.rejections.append((path, status, response.text[:300]))
        if status == 200:
            return response.json()
        time.sleep(0.05)

    @property
    def successes(self):
        return self.requests - self.unavailable - len(self.rejections)

    def continues(self):
        """Waits until further requests succeed, and returns whether they do."""
        before = self.successes
        return gateway.eventually(lambda: self.successes > before + 50)

    def lost_writes(self):
        """The acknowledged sessions that no gateway continues any more."""
        web = requests.Session()
        return [
            session for session in self.sessions
            if not any(self.refresh_succeeds(web, serve, session) for serve in self.gateways)]

    def refresh_succeeds(self, web, serve, session):
        json = {"grant_type": "refresh_token", "refresh_token": session.refresh_token}
        response = web.post(
            f"{serve.url}/v1/token", params={"key": serve.api_key}, json=json, timeout=TIMEOUT_SECONDS)
        return response.status_code == 200
