"""firebase-admin configured for a gateway: by `FIREBASE_AUTH_EMULATOR_HOST` for `dev`, by replaced URLs for `serve`."""

import json
import secrets
from contextlib import contextmanager
from functools import partial

import firebase_admin
import pytest
from firebase_admin import _auth_providers, _token_gen, _user_mgt, auth, credentials, tenant_mgt
from google.oauth2 import service_account
from google.oauth2.credentials import Credentials

from client import Client
from gateway import DEMO_PROJECT

# With the default universe the library asks Google where a credential may be used.
UNIVERSE = "example.com"
CERTIFICATES_PATH = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"


class StaticCredential(credentials.Base):
    """A credential with an access token that is already known."""

    def __init__(self, credential):
        self.credential = credential

    def get_credential(self):
        return self.credential


class CookieIssuer(str):
    """The library appends the project to the issuer; the gateway's issuer has the project in the middle."""

    def __add__(self, project):
        return f"{self}{project}/session"


class Admin:
    """The functions of the library for one of its apps, and a client of the same gateway."""

    def __init__(self, gateway, contract, credential):
        self.gateway = gateway
        self.client = Client(gateway, contract)
        self.app = firebase_admin.initialize_app(
            StaticCredential(credential), {"projectId": gateway.project}, name=secrets.token_hex(8))

    def __getattr__(self, function):
        module = tenant_mgt if function in tenant_mgt.__all__ else auth
        return partial(getattr(module, function), app=self.app)

    @property
    def authorization(self):
        return {"Authorization": f"Bearer {self.app.credential.get_credential().token}"}

    def tenant(self, name="Acme"):
        """The library for a new tenant that allows passwords and sign-in links."""
        tenant = self.create_tenant(name, allow_password_sign_up=True, enable_email_link_sign_in=True)
        return self.auth_for_tenant(tenant.tenant_id)


@contextmanager
def emulator_admin(gateway, contract):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIREBASE_AUTH_EMULATOR_HOST", gateway.url.removeprefix("http://"))
        # The library has no emulator support for tenants.
        patch.setattr(tenant_mgt._TenantManagementService, "TENANT_MGT_URL", identity_toolkit_url(gateway, "v2"))
        yield from until_closed(Admin(gateway, contract, owner_credential()))


@contextmanager
def serve_admin(gateway, contract, key):
    """The library with all the checks that it skips for an emulator."""
    with pytest.MonkeyPatch.context() as patch:
        for service in (_token_gen.TokenGenerator, _user_mgt.UserManager):
            patch.setattr(service, "ID_TOOLKIT_URL", identity_toolkit_url(gateway, "v1"))
        patch.setattr(
            _auth_providers.ProviderConfigClient, "PROVIDER_CONFIG_URL", identity_toolkit_url(gateway, "v2"))
        patch.setattr(tenant_mgt._TenantManagementService, "TENANT_MGT_URL", identity_toolkit_url(gateway, "v2"))
        patch.setattr(_token_gen, "ID_TOKEN_ISSUER_PREFIX", gateway.url + "/")
        patch.setattr(_token_gen, "COOKIE_ISSUER_PREFIX", CookieIssuer(gateway.url + "/"))
        for name in ("ID_TOKEN_CERT_URI", "COOKIE_CERT_URI"):
            patch.setattr(_token_gen, name, gateway.url + CERTIFICATES_PATH)
        yield from until_closed(Admin(gateway, contract, service_credential(key, gateway)))


def until_closed(admin):
    """Yields `admin`, and deletes its app afterwards."""
    yield admin
    firebase_admin.delete_app(admin.app)


def identity_toolkit_url(gateway, version):
    return f"{gateway.url}/identitytoolkit.googleapis.com/{version}"


def owner_credential():
    return Credentials("owner", universe_domain=UNIVERSE)


def service_credential(key, gateway):
    """A service account made from a service key, whose secret is the access token."""
    account = service_account.Credentials.from_service_account_info({
        "client_email": key["id"], "private_key_id": key["id"], "private_key": key["privateKey"],
        "token_uri": gateway.url + "/unused", "universe_domain": UNIVERSE})
    account.token = key["secret"]
    return account


def create_service_key(installation, *options):
    """Creates a service key of the demo project, and returns what the command prints."""
    words = ["keys create-service-key --project", DEMO_PROJECT, "--name tests", *options]
    return json.loads(installation.run_ok(" ".join(words)))
