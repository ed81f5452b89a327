"""firebase-admin configures identity providers and manages the identities of users at providers.

The fixture `admin` is firebase-admin, for `dev` and for `serve`; `acme` is firebase-admin for one tenant.
"""

import secrets

import pytest
from firebase_admin import auth
from firebase_admin.exceptions import ConflictError, FirebaseError

from client import unverified_claims
from simulators import fresh_person, idp_sign_in_body

# Only `dev` has the simulators of Apple and Google.
in_dev = pytest.mark.parametrize("admin", ["dev"], indirect=True)
ISSUER = "https://id.example.com"


@pytest.fixture
def provider_ids(admin):
    """The IDs of three new OpenID Connect providers with a client secret, which no response contains."""
    identifiers = sorted(f"oidc.{secrets.token_hex(8)}" for _ in range(3))
    for identifier in identifiers:
        created = admin.create_oidc_provider_config(
            identifier, client_id="c", issuer=ISSUER, display_name="Corp", enabled=False, client_secret="secret",
            code_response_type=True, id_token_response_type=False)
        assert created.client_secret is None
    yield identifiers
    for identifier in identifiers:
        admin.delete_oidc_provider_config(identifier)
        with pytest.raises(auth.ConfigurationNotFoundError):
            admin.get_oidc_provider_config(identifier)


def test_an_openid_connect_provider_is_configured(admin, provider_ids):
    config = admin.get_oidc_provider_config(provider_ids[0])
    assert (config.provider_id, config.client_id, config.issuer) == (provider_ids[0], "c", ISSUER)
    assert (config.display_name, config.enabled, config.code_response_type) == ("Corp", False, True)
    assert config.client_secret is None


def test_a_change_of_an_openid_connect_provider_keeps_other_fields(admin, provider_ids):
    changed = admin.update_oidc_provider_config(
        provider_ids[0], display_name=auth.DELETE_ATTRIBUTE, issuer="https://other.example.com")
    assert (changed.display_name, changed.issuer) == (None, "https://other.example.com")
    assert (changed.client_id, changed.enabled, changed.code_response_type) == ("c", False, True)
    assert admin.update_oidc_provider_config(provider_ids[0], client_id="d").client_id == "d"


@in_dev
def test_an_openid_connect_provider_is_enabled_beside_apple(admin, provider_ids):
    """App Review guideline 4.8 requires Apple beside other providers. The project of `serve` has no Apple provider."""
    assert admin.update_oidc_provider_config(provider_ids[0], enabled=True).enabled is True


def test_openid_connect_providers_are_listed_page_by_page(admin, provider_ids):
    first = admin.list_oidc_provider_configs(max_results=2)
    assert len(first.provider_configs) == 2
    second = admin.list_oidc_provider_configs(page_token=first.next_page_token, max_results=2)
    listed = [config.provider_id for config in [*first.provider_configs, *second.iterate_all()]]
    assert len(listed) == len(set(listed)) and set(provider_ids) <= set(listed)


def test_an_unknown_provider_is_not_found(admin):
    with pytest.raises(auth.ConfigurationNotFoundError):
        admin.get_oidc_provider_config("oidc.unknown")
    with pytest.raises(auth.ConfigurationNotFoundError):
        admin.delete_oidc_provider_config("oidc.unknown")


def test_an_existing_provider_is_not_created_again(admin, provider_ids):
    with pytest.raises(ConflictError) as error:
        admin.create_oidc_provider_config(provider_ids[0], client_id="c", issuer=ISSUER)
    assert error.value.http_response.json()["error"]["message"] == "CONFIGURATION_EXISTS"


SAML = {
    "idp_entity_id": "idp", "sso_url": "https://id.example.com/sso", "x509_certificates": ["certificate"],
    "rp_entity_id": "rp", "callback_url": "https://app.example.com/callback"}


@pytest.mark.parametrize("scope", ["project", "tenant"])
@pytest.mark.parametrize("call", [
    lambda library: library.get_saml_provider_config("saml.corp"),
    lambda library: library.create_saml_provider_config("saml.corp", **SAML),
    lambda library: library.update_saml_provider_config("saml.corp", display_name="Corp"),
    lambda library: library.delete_saml_provider_config("saml.corp"),
    lambda library: library.list_saml_provider_configs(),
], ids=["get", "create", "update", "delete", "list"])
def test_operations_on_saml_providers_are_not_implemented(admin, acme, call, scope):
    with pytest.raises(FirebaseError) as error:
        call(admin if scope == "project" else acme)
    assert error.value.http_response.status_code == 501
    assert "not implemented" in str(error.value)


@pytest.fixture
def account_with_identities(admin, simulators):
    """Creates an account with identities of Apple and Google.

    Returns the person, the session, and the subject of each identity by provider. The person hides the email address,
    so the identity of Apple has a relay address.
    """
    person = fresh_person() | {"hidesEmail": True}
    apple, google = simulators.sign_in_with_apple(person), simulators.sign_in_with_google(person)
    session = admin.client.call("signInWithIdp", idp_sign_in_body(apple)).body
    admin.client.call("signInWithIdp", idp_sign_in_body(google, idToken=session["idToken"]))
    return person, session, {proof["providerId"]: subject_of(proof) for proof in (apple, google)}


def subject_of(proof):
    return unverified_claims(proof["idToken"])["sub"]


@in_dev
def test_a_backend_sees_the_identities_of_apple_and_google(admin, account_with_identities):
    person, session, subjects = account_with_identities
    user = admin.get_user(session["localId"])
    assert {identity.provider_id: identity.uid for identity in user.provider_data} == subjects
    emails = {identity.provider_id: identity.email for identity in user.provider_data}
    assert emails == {"apple.com": session["email"], "google.com": person["email"]}
    assert (user.email, user.email_verified, user.display_name) == (session["email"], True, "Ada Lovelace")
    token = admin.verify_id_token(session["idToken"])
    assert token["firebase"]["sign_in_provider"] == "apple.com"


@in_dev
@pytest.mark.parametrize("provider", ["apple.com", "google.com"])
def test_a_backend_finds_a_user_by_the_subject_of_an_identity(admin, account_with_identities, provider):
    _, session, subjects = account_with_identities
    found = admin.get_users([auth.ProviderIdentifier(provider, subjects[provider])])
    assert [user.uid for user in found.users] == [session["localId"]]


@in_dev
def test_a_backend_unlinks_an_identity(admin, simulators, account_with_identities):
    person, session, subjects = account_with_identities
    user = admin.update_user(session["localId"], providers_to_delete=["google.com"])
    assert [identity.provider_id for identity in user.provider_data] == ["apple.com"]
    assert admin.get_users([auth.ProviderIdentifier("google.com", subjects["google.com"])]).users == []
    apple, google = (
        admin.client.call("signInWithIdp", idp_sign_in_body(proof)).body
        for proof in (simulators.sign_in_with_apple(person), simulators.sign_in_with_google(person)))
    # The unlinked identity signs in to a new account.
    assert apple["localId"] == session["localId"] != google["localId"]


@in_dev
def test_an_identity_linked_by_a_backend_signs_in(admin, simulators, ada):
    """The Python library cannot link identities; libraries for other languages send this request."""
    proof = simulators.sign_in("apple.com")
    link = {"localId": ada.uid, "linkProviderUserInfo": {"providerId": "apple.com", "rawId": subject_of(proof)}}
    response = admin.client.call("updateAccount", link, api_key=None, headers=admin.authorization)
    assert response.status == 200, response.body
    linked = {identity.provider_id: identity.uid for identity in admin.get_user(ada.uid).provider_data}
    assert linked["apple.com"] == subject_of(proof)
    assert admin.client.call("signInWithIdp", idp_sign_in_body(proof)).body["localId"] == ada.uid
