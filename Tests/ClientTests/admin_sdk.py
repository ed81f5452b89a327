"""firebase-admin pointed at a gateway: at `dev` by the emulator's variable, at `serve` as it finds Google."""

import json
import secrets
from contextlib import contextmanager
from functools import partial

import firebase_admin
import pytest
from firebase_admin import _auth_providers, _token_gen, _user_mgt, auth, credentials, tenant_mgt
from google.oauth2 import service_account
from google.oauth2.credentials import Credentials

from exchange import Client
from gateway import DEMO_PROJECT

# In its own the library asks Google where a credential may be used.
UNIVERSE = "example.com"
CERTIFICATES = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"


class Known(credentials.Base):
    """A credential that needs no fetching."""

    def __init__(self, credential):
        self.credential = credential

    def get_credential(self):
        return self.credential


class CookieIssuer(str):
    """The library appends the project to it; ours has it inside."""

    def __add__(self, project):
        return f"{self}{project}/session"


class Admin:
    """The functions of the library for one of its apps, and an app of that gateway's beside it."""

    def __init__(self, gateway, contract, credential):
        self.gateway = gateway
        self.client = Client(gateway, contract)
        self.app = firebase_admin.initialize_app(
            Known(credential), {"projectId": gateway.project}, name=secrets.token_hex(8))

    def __getattr__(self, function):
        module = tenant_mgt if function in tenant_mgt.__all__ else auth
        return partial(getattr(module, function), app=self.app)

    @property
    def authorization(self):
        return {"Authorization": f"Bearer {self.app.credential.get_credential().token}"}

    def tenant(self, name="Acme"):
        """The library for a new tenant, in which one may sign up."""
        made = self.create_tenant(name, allow_password_sign_up=True, enable_email_link_sign_in=True)
        return self.auth_for_tenant(made.tenant_id)


@contextmanager
def emulating(gateway, contract):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIREBASE_AUTH_EMULATOR_HOST", gateway.url.removeprefix("http://"))
        # Of tenants the library knows no emulator.
        patch.setattr(tenant_mgt._TenantManagementService, "TENANT_MGT_URL", toolkit(gateway, "v2"))
        yield from lasting(Admin(gateway, contract, owner()))


@contextmanager
def real(gateway, contract, key):
    """With all the checks that the library leaves out for an emulator."""
    with pytest.MonkeyPatch.context() as patch:
        for place in (_token_gen.TokenGenerator, _user_mgt.UserManager):
            patch.setattr(place, "ID_TOOLKIT_URL", toolkit(gateway, "v1"))
        patch.setattr(_auth_providers.ProviderConfigClient, "PROVIDER_CONFIG_URL", toolkit(gateway, "v2"))
        patch.setattr(tenant_mgt._TenantManagementService, "TENANT_MGT_URL", toolkit(gateway, "v2"))
        patch.setattr(_token_gen, "ID_TOKEN_ISSUER_PREFIX", gateway.url + "/")
        patch.setattr(_token_gen, "COOKIE_ISSUER_PREFIX", CookieIssuer(gateway.url + "/"))
        for name in ("ID_TOKEN_CERT_URI", "COOKIE_CERT_URI"):
            patch.setattr(_token_gen, name, gateway.url + CERTIFICATES)
        yield from lasting(Admin(gateway, contract, credential(key, gateway)))


def lasting(admin):
    yield admin
    firebase_admin.delete_app(admin.app)


def toolkit(gateway, version):
    return f"{gateway.url}/identitytoolkit.googleapis.com/{version}"


def owner():
    return Credentials("owner", universe_domain=UNIVERSE)


def credential(key, gateway):
    """A service account file with a service key in it. Its secret is the access token."""
    account = service_account.Credentials.from_service_account_info({
        "client_email": key["id"], "private_key_id": key["id"], "private_key": key["privateKey"],
        "token_uri": gateway.url + "/nowhere", "universe_domain": UNIVERSE})
    account.token = key["secret"]
    return account


def service_key(installation, *options):
    words = ["keys create-service-key --project", DEMO_PROJECT, "--name tests", *options]
    return json.loads(installation.done(" ".join(words)))
