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

# Any universe domain except Google's. With Google's, the library would ask Google for the credential's trust boundary:
# the regions in which it may be used.
UNIVERSE_DOMAIN = "example.com"
CERTIFICATES_PATH = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"


class StaticCredential(credentials.Base):
    """A credential with an access token that is already known."""

    def __init__(self, credential):
        self.credential = credential

    def get_credential(self):
        return self.credential


class CookieIssuer(str):
    """The issuer of session cookies, to which the library appends the project ID.

    The gateway's issuer goes on after the project ID: `URL/PROJECT/session`.
    """

    def __add__(self, project):
        return f"{self}{project}/session"


class Admin:
    """firebase-admin for one gateway, and `client`, an app's client of the same gateway.

    Every other attribute is a function of the library's module `auth` or `tenant_mgt`, called for this gateway.
    """

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
        """The HTTP header with which the library authenticates."""
        return {"Authorization": f"Bearer {self.app.credential.get_credential().token}"}

    def tenant_with_sign_in(self, name="Acme"):
        """Creates a tenant that allows passwords and sign-in links, and returns the library's client for it."""
        tenant = self.create_tenant(name, allow_password_sign_up=True, enable_email_link_sign_in=True)
        return self.auth_for_tenant(tenant.tenant_id)


@contextmanager
def emulator_admin(gateway, contract):
    """An `Admin` for `sekisho dev`, which the library takes for Firebase's emulator."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIREBASE_AUTH_EMULATOR_HOST", gateway.url.removeprefix("http://"))
        # The library has no emulator support for tenants.
        patch.setattr(tenant_mgt._TenantManagementService, "TENANT_MGT_URL", identity_toolkit_url(gateway, "v2"))
        yield from deleted_afterwards(Admin(gateway, contract, owner_credential()))


@contextmanager
def serve_admin(gateway, contract, service_key):
    """An `Admin` for `sekisho serve`: the library makes all the checks that it skips for an emulator."""
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
        yield from deleted_afterwards(Admin(gateway, contract, service_credential(service_key, gateway)))


def deleted_afterwards(admin):
    """Yields `admin`, and deletes its app afterwards."""
    yield admin
    firebase_admin.delete_app(admin.app)


def identity_toolkit_url(gateway, version):
    return f"{gateway.url}/identitytoolkit.googleapis.com/{version}"


def owner_credential():
    """The credential of an administrator of an emulator."""
    return Credentials("owner", universe_domain=UNIVERSE_DOMAIN)


def service_credential(service_key, gateway):
    """The credential of a service account that is made from a service key. The access token is the key's secret."""
    account = service_account.Credentials.from_service_account_info({
        "client_email": service_key["id"], "private_key_id": service_key["id"],
        "private_key": service_key["privateKey"],
        "token_uri": gateway.url + "/unused", "universe_domain": UNIVERSE_DOMAIN})
    account.token = service_key["secret"]
    return account


def create_service_key(installation, *options):
    """Creates a service key of the demo project, and returns what the command prints."""
    words = ["keys create-service-key --project", DEMO_PROJECT, "--name tests", *options]
    return json.loads(installation.run_ok(" ".join(words)))
