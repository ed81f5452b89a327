"""Crashes of PostgreSQL and of the gateway: acknowledged accounts, their sessions and begun sign-ins are kept."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from threading import Event

import requests

from gateway import eventually
from installation import sql
from one_time_password import totp

CLIENTS = 24
# More than this many requests succeed before each crash and after the last crash.
REQUESTS_BETWEEN_CRASHES = 500
# After this many refreshes, a client signs up again.
REFRESHES_PER_ACCOUNT = 5


class App:
    """A client that signs up and refreshes in turn. It repeats a refresh that got no response."""

    def __init__(self, installation, api_key):
        self.installation = installation
        self.api_key = api_key
        self.http = requests.Session()
        # The latest refresh token of each account, by account ID.
        self.refresh_tokens = {}
        self.successes = 0

    def run(self, stopped):
        """Sends requests until the event `stopped` is set."""
        for turn in count():
            if stopped.is_set():
                return
            if turn % (REFRESHES_PER_ACCOUNT + 1) == 0:
                response = self.post("/v1/accounts:signUp", json={})
                # Without a response the outcome is unknown: the client sends nothing until its next sign-up, which
                # creates another account.
                local_id = response and response["localId"]
            elif local_id:
                # Without a response the next turn presents the same token.
                response = self.refresh(self.refresh_tokens[local_id])
            if response:
                self.refresh_tokens[local_id] = response.get("refreshToken") or response["refresh_token"]
                self.successes += 1

    def refresh(self, token):
        return self.post("/v1/token", data={"grant_type": "refresh_token", "refresh_token": token})

    def post(self, path, **body):
        """Returns the body of the response; `None` if there is no response or its status is 503."""
        try:
            response = self.http.post(f"{self.installation.url}{path}?key={self.api_key}", timeout=30, **body)
        except requests.RequestException:
            return None
        if response.status_code == 503:
            return None
        assert response.status_code == 200, response.text
        return response.json()


def crash_postgres(postgres, gateway):
    postgres.kill()
    postgres.start()


def crash_gateway(_, gateway):
    gateway.restart()


class RestartableGateway:
    """A gateway that is killed and started again on the same port."""

    def __init__(self, installation, stack):
        self.installation = installation
        self.stack = stack
        self.start()

    def start(self):
        self.current = self.stack.enter_context(self.installation.starting())

    def restart(self):
        self.current.process.kill()
        self.current.process.wait(60)
        self.start()


def test_crashes_lose_nothing_acknowledged_and_sign_no_user_out(postgres, own_installation):
    installation = own_installation
    api_key = installation.create_api_key()
    apps = [App(installation, api_key) for _ in range(CLIENTS)]
    stopped = Event()

    def successes():
        return sum(app.successes for app in apps)

    with ExitStack() as stack:
        gateway = RestartableGateway(installation, stack)
        pool = stack.enter_context(ThreadPoolExecutor(CLIENTS))
        runs = [pool.submit(app.run, stopped) for app in apps]
        stack.callback(stopped.set)
        for crash in [crash_postgres, crash_gateway] * 2:
            before = successes()
            assert eventually(lambda: successes() > before + REQUESTS_BETWEEN_CRASHES)
            crash(postgres, gateway)
        before = successes()
        assert eventually(lambda: successes() > before + REQUESTS_BETWEEN_CRASHES)
        stopped.set()
        for run in runs:
            run.result(60)
        lost = [
            local_id for app in apps for local_id, token in app.refresh_tokens.items()
            if app.refresh(token)["user_id"] != local_id
        ]
        assert lost == []


def test_second_factors_continue_after_crashes_between_their_steps(own_installation):
    """The proofs of an enrolment and of a sign-in work at the gateway that starts after the crash, and codes once."""
    installation = own_installation
    api_key = installation.create_api_key()
    installation.run_ok("projects policy demo --set secondFactors=enabled --set allowsTotp=true")
    user = {"email": "ada@example.com", "password": "staple battery horse 7"}

    def post(path, body):
        """Sends a request until a gateway answers, and returns the status and the body of the response."""
        return eventually(lambda: attempt(path, body))

    def attempt(path, body):
        try:
            response = requests.post(f"{installation.url}{path}?key={api_key}", json=body, timeout=30)
        except requests.RequestException:
            return None
        return (response.status_code, response.json()) if response.status_code != 503 else None

    with ExitStack() as stack:
        gateway = RestartableGateway(installation, stack)
        _, signed_up = post("/v1/accounts:signUp", user)
        sql(installation.database_url, "UPDATE account SET email_verified = true WHERE email IS NOT NULL")
        _, started = post(
            "/v2/accounts/mfaEnrollment:start", {"idToken": signed_up["idToken"], "totpEnrollmentInfo": {}})
        info = started["totpSessionInfo"]
        gateway.restart()
        status, enrolled = post("/v2/accounts/mfaEnrollment:finalize", {
            "idToken": signed_up["idToken"], "displayName": "App", "totpVerificationInfo": {
                "sessionInfo": info["sessionInfo"], "verificationCode": totp(info["sharedSecretKey"])}})
        assert status == 200, enrolled
        _, first = post("/v1/accounts:signInWithPassword", user)
        assert "idToken" not in first
        gateway.restart()
        # Each code works once, so this one is that of the next step.
        second = {
            "mfaPendingCredential": first["mfaPendingCredential"],
            "mfaEnrollmentId": first["mfaInfo"][0]["mfaEnrollmentId"],
            "totpVerificationInfo": {"verificationCode": totp(info["sharedSecretKey"], 1)}}
        status, signed_in = post("/v2/accounts/mfaSignIn:finalize", second)
        assert status == 200, signed_in
        gateway.restart()
        status, repeated = post("/v2/accounts/mfaSignIn:finalize", second)
        assert status == 400, repeated
