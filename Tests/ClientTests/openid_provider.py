"""A third-party OpenID provider: django-oauth-toolkit in its own process.

`python openid_provider.py PORT FOLDER REDIRECT_URI` serves it. Every request is authenticated as the user in
`FOLDER/user.json`.
"""

import json
import secrets
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import gateway

CLIENT_ID = "sekisho-client"
# No server listens at this address: the tests read the code from the redirect.
REDIRECT_URI = "http://127.0.0.1:1/callback"


class Provider:
    def __init__(self, url, folder):
        self.url = url
        self.folder = folder

    def set_user(self, **claims):
        """Authenticates further requests as a user with these claims."""
        (self.folder / "user.json").write_text(json.dumps({"sub": secrets.token_hex(8)} | claims))


@contextmanager
def running(folder, redirect_uri=REDIRECT_URI):
    """Runs the provider with one client. Requests are authenticated as a new user until `set_user` is called."""
    port = gateway.free_port()
    provider = Provider(f"http://127.0.0.1:{port}", folder)
    provider.set_user()
    log = folder / "log"
    command = [sys.executable, __file__, str(port), str(folder), redirect_uri]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        discovery = f"{provider.url}/.well-known/openid-configuration"
        gateway.wait_for(lambda: gateway.has_status_200(discovery), process, log)
        yield provider
    finally:
        process.terminate()
        process.wait(30)


def serve(port, folder, redirect_uri):
    import django
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from django.conf import settings

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    settings.configure(
        SECRET_KEY="only for tests", DEBUG=True, ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "db.sqlite3")}},
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
        MIDDLEWARE=[f"{__name__}.authenticate"], DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        CLAIMS=folder / "user.json",
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": key, "OIDC_ISS_ENDPOINT": f"http://127.0.0.1:{port}",
            "PKCE_REQUIRED": True, "SCOPES": {"openid": "", "email": "", "profile": ""},
            "OAUTH2_VALIDATOR_CLASS": f"{__name__}.validator",
        })
    django.setup()
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    Application.objects.create(
        client_id=CLIENT_ID, client_type="public", authorization_grant_type="authorization-code", algorithm="RS256",
        redirect_uris=redirect_uri, skip_authorization=True)
    make_server("127.0.0.1", port, get_wsgi_application(), Server, QuietHandler).serve_forever()


class Server(ThreadingMixIn, WSGIServer):
    """Answers the gateway while a browser keeps a connection open."""

    daemon_threads = True


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def authenticate(get_response):
    """Middleware of Django that authenticates every request."""
    from django.conf import settings
    from django.contrib.auth.models import User

    def respond(request):
        claims = json.loads(settings.CLAIMS.read_text())
        request.user, _ = User.objects.get_or_create(username=claims["sub"])
        return get_response(request)

    return respond


def __getattr__(name):
    """Creates what Django imports from this module. This is possible only after Django is set up."""
    if name == "urlpatterns":
        return urls()
    if name == "validator":
        return make_validator()
    raise AttributeError(name)


def urls():
    from django.urls import include, path

    return [path("", include("oauth2_provider.urls", namespace="oauth2_provider"))]


def make_validator():
    from django.conf import settings
    from oauth2_provider.oauth2_validators import OAuth2Validator

    class Validator(OAuth2Validator):
        def get_additional_claims(self, request):
            return json.loads(settings.CLAIMS.read_text())

    return Validator


if __name__ == "__main__":
    # The settings name this module; without this line Django would import a second copy.
    sys.modules["openid_provider"] = sys.modules["__main__"]
    __name__ = "openid_provider"
    serve(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
