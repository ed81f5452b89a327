"""Clients generated from openapi.yaml by openapi-generator."""

import importlib
import re
import subprocess
import sys
from importlib.resources import files

import pytest

from client import PASSWORD, fresh_email
from contract import PATH
from simulators import Simulators, fresh_person

pytestmark = pytest.mark.slow

# Generator 7.26.0 logs this for any document with an object schema.
KNOWN_WARNING = "Failed to get the schema name: null"


def generate(generator, folder, *options):
    """Generates a client and returns the log of the generator."""
    jar = files("openapi_generator_cli") / "openapi-generator.jar"
    completed = subprocess.run(
        ["java", "-jar", str(jar), "generate", "-g", generator, "-i", str(PATH), "-o", str(folder), *options],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout + completed.stderr


@pytest.fixture(scope="module")
def python_log(folder):
    """The log of generating the Python package in `folder / "client"`."""
    return generate("python", folder / "client", "--package-name", "sekisho_client")


@pytest.mark.parametrize("generator", ["python", "typescript-fetch", "kotlin", "swift6"])
def test_a_client_is_generated_without_warnings_and_with_the_schema_names(generator, python_log, tmp_path):
    log = python_log if generator == "python" else generate(generator, tmp_path)
    problems = [line for line in log.splitlines() if re.search(r" (WARN|ERROR) ", line)]
    assert [line for line in problems if KNOWN_WARNING not in line] == []
    assert "SignUpRequest" in log or "sign_up_request" in log
    assert not re.search(r"Inline|inline_|[a-z]_?[0-9]+\.(py|ts|kt|swift)$", log, re.MULTILINE)


@pytest.fixture(scope="module")
def sekisho(folder, python_log):
    """The generated Python package."""
    sys.path.insert(0, str(folder / "client"))
    yield importlib.import_module("sekisho_client")
    sys.path.remove(str(folder / "client"))


@pytest.fixture
def api(sekisho, dev):
    configuration = sekisho.Configuration(host=dev.url, api_key={"apiKey": dev.api_key})
    with sekisho.ApiClient(configuration) as client:
        yield sekisho.ClientApi(client)


def test_an_account_is_created_used_and_deleted(sekisho, api):
    email = fresh_email()
    created = api.sign_up(sekisho.SignUpRequest(email=email, password=PASSWORD, display_name="Ada"))
    signed_in = api.sign_in_with_password(sekisho.SignInWithPasswordRequest(email=email, password=PASSWORD))
    assert signed_in.local_id == created.local_id

    refreshed = api.token(sekisho.TokenRequest(grant_type="refresh_token", refresh_token=signed_in.refresh_token))
    assert refreshed.user_id == created.local_id

    api.update(sekisho.UpdateRequest(id_token=refreshed.id_token, display_name="Ada Lovelace"))
    [user] = api.lookup(sekisho.LookupRequest(id_token=refreshed.id_token)).users
    assert (user.email, user.display_name) == (email, "Ada Lovelace")

    api.delete(sekisho.DeleteRequest(id_token=refreshed.id_token))
    with pytest.raises(sekisho.ApiException) as error:
        api.lookup(sekisho.LookupRequest(id_token=refreshed.id_token))
    assert error.value.data.error.message == "USER_NOT_FOUND"


def test_an_error_response_is_typed(sekisho, api):
    with pytest.raises(sekisho.ApiException) as error:
        api.sign_in_with_password(sekisho.SignInWithPasswordRequest(email=fresh_email(), password=PASSWORD))
    assert isinstance(error.value.data, sekisho.ErrorEnvelope)
    assert sekisho.ErrorCode(error.value.data.error.message) is sekisho.ErrorCode.EMAIL_NOT_FOUND


def test_linked_apple_and_google_identities_sign_in_to_one_account(sekisho, api, dev):
    simulators, ada = Simulators(dev), fresh_person()

    def sign_in(proof, name=None, nonce=None, **more):
        credential = sekisho.IdpCredential(
            provider_id=proof["providerId"], id_token=proof["idToken"], raw_nonce=nonce, full_name=name)
        return api.sign_in_with_idp(sekisho.SignInWithIdpRequest(credential=credential, **more))

    issued = api.issue_nonce({})
    apple = simulators.sign_in("apple.com", ada, nonce=issued.nonce_sha256)
    name = sekisho.PersonName(given_name="Ada", family_name="Lovelace")
    first = sign_in(apple, name, issued.nonce)
    assert (first.is_new_user, first.display_name) == (True, "Ada Lovelace")
    assert sign_in(simulators.google(ada), id_token=first.id_token).local_id == first.local_id
    assert sign_in(simulators.google(ada)).local_id == first.local_id
    with pytest.raises(sekisho.ApiException) as error:
        sign_in(apple, nonce=issued.nonce)
    assert error.value.data.error.message.startswith("MISSING_OR_INVALID_NONCE")
