"""Clients that openapi-generator makes of openapi.yaml."""

import importlib
import re
import subprocess
import sys
from importlib.resources import files

import pytest

from contract import PATH
from exchange import PASSWORD, fresh_email
from simulated import Simulated, fresh_person

# Said of any document with an object schema in it, by generator 7.26.0.
NOISE = "Failed to get the schema name: null"


def generate(generator, folder, *options):
    jar = files("openapi_generator_cli") / "openapi-generator.jar"
    done = subprocess.run(
        ["java", "-jar", str(jar), "generate", "-g", generator, "-i", str(PATH), "-o", str(folder), *options],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("generator", ["python", "typescript-fetch", "kotlin", "swift6"])
def test_a_client_is_generated_without_warning_and_with_our_names(generator, tmp_path):
    said = generate(generator, tmp_path)
    assert [line for line in said.splitlines() if re.search(r" (WARN|ERROR) ", line) and NOISE not in line] == []
    assert "SignUpRequest" in said or "sign_up_request" in said
    assert not re.search(r"Inline|inline_|[a-z]_?[0-9]+\.(py|ts|kt|swift)$", said, re.MULTILINE)


@pytest.fixture(scope="session")
def sekisho(folder):
    """The generated Python package."""
    generate("python", folder / "client", "--package-name", "sekisho_client")
    sys.path.insert(0, str(folder / "client"))
    yield importlib.import_module("sekisho_client")
    sys.path.remove(str(folder / "client"))


@pytest.fixture
def api(sekisho, dev):
    configuration = sekisho.Configuration(host=dev.url, api_key={"apiKey": dev.api_key})
    with sekisho.ApiClient(configuration) as client:
        yield sekisho.ClientApi(client)


def test_an_account_lives_its_whole_life(sekisho, api):
    email = fresh_email()
    made = api.sign_up(sekisho.SignUpRequest(email=email, password=PASSWORD, display_name="Ada"))
    signed_in = api.sign_in_with_password(sekisho.SignInWithPasswordRequest(email=email, password=PASSWORD))
    assert signed_in.local_id == made.local_id

    refreshed = api.token(sekisho.TokenRequest(grant_type="refresh_token", refresh_token=signed_in.refresh_token))
    assert refreshed.user_id == made.local_id

    api.update(sekisho.UpdateRequest(id_token=refreshed.id_token, display_name="Ada Lovelace"))
    [user] = api.lookup(sekisho.LookupRequest(id_token=refreshed.id_token)).users
    assert (user.email, user.display_name) == (email, "Ada Lovelace")

    api.delete(sekisho.DeleteRequest(id_token=refreshed.id_token))
    with pytest.raises(sekisho.ApiException) as refused:
        api.lookup(sekisho.LookupRequest(id_token=refreshed.id_token))
    assert refused.value.data.error.message == "USER_NOT_FOUND"


def test_a_refusal_is_typed(sekisho, api):
    with pytest.raises(sekisho.ApiException) as refused:
        api.sign_in_with_password(sekisho.SignInWithPasswordRequest(email=fresh_email(), password=PASSWORD))
    assert isinstance(refused.value.data, sekisho.ErrorEnvelope)
    assert sekisho.ErrorCode(refused.value.data.error.message) is sekisho.ErrorCode.EMAIL_NOT_FOUND


def test_apple_and_google_sign_in_to_one_account(sekisho, api, dev):
    simulated, ada = Simulated(dev), fresh_person()

    def sign_in(proof, name=None, nonce=None, **more):
        credential = sekisho.IdpCredential(
            provider_id=proof["providerId"], id_token=proof["idToken"], raw_nonce=nonce, full_name=name)
        return api.sign_in_with_idp(sekisho.SignInWithIdpRequest(credential=credential, **more))

    issued = api.issue_nonce({})
    apple = simulated.sign_in("apple.com", ada, nonce=issued.nonce_sha256)
    name = sekisho.PersonName(given_name="Ada", family_name="Lovelace")
    first = sign_in(apple, name, issued.nonce)
    assert (first.is_new_user, first.display_name) == (True, "Ada Lovelace")
    assert sign_in(simulated.google(ada), id_token=first.id_token).local_id == first.local_id
    assert sign_in(simulated.google(ada)).local_id == first.local_id
    with pytest.raises(sekisho.ApiException) as refused:
        sign_in(apple, nonce=issued.nonce)
    assert refused.value.data.error.message.startswith("MISSING_OR_INVALID_NONCE")
