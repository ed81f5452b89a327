"""firebase-admin, Firebase's own library for backends, against `sekisho dev`."""

import secrets
import time
from datetime import timedelta
from functools import partial
from urllib.parse import parse_qs, urlsplit

import firebase_admin
import jwt
import pytest
import requests
from firebase_admin import auth
from firebase_admin.auth import ActionCodeSettings, UserNotFoundError
from firebase_admin.exceptions import FirebaseError

from exchange import PASSWORD, Client, fresh_email
from simulated import Simulated, by, fresh_person


class Admin:
    """The functions of the library, for one of its apps."""

    def __init__(self, project, name):
        self.app = firebase_admin.initialize_app(options={"projectId": project}, name=name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        firebase_admin.delete_app(self.app)

    def __getattr__(self, function):
        return partial(getattr(auth, function), app=self.app)


@pytest.fixture(scope="module")
def admin(dev):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIREBASE_AUTH_EMULATOR_HOST", dev.url.removeprefix("http://"))
        with Admin(dev.project, "tests") as admin:
            yield admin


@pytest.fixture
def client(dev, contract):
    return Client(dev, contract)


@pytest.fixture
def ada(admin):
    return admin.create_user(email=fresh_email(), password=PASSWORD, display_name="Ada")


@pytest.fixture
def earlier(dev):
    """Whatever happens before its end happened ten seconds ago: the library counts in seconds."""
    def set_clock(**change):
        requests.post(f"{dev.url}/emulator/v1/clock", json=change, timeout=30).raise_for_status()

    set_clock(freezeAtMs=int(time.time() - 10) * 1000)
    yield lambda: set_clock(reset=True)
    set_clock(reset=True)


def fresh_phone():
    return f"+1{secrets.randbelow(9 * 10**9) + 10**9}"


def fresh_uid():
    return f"uid-{secrets.token_hex(8)}"


def signed_in(client, user):
    answer = client.call(
        "signInWithPassword", {"email": user.email, "password": PASSWORD, "returnSecureToken": True})
    assert answer.status == 200, answer.body
    return answer.body


def by_custom_token(dev, token):
    response = requests.post(
        f"{dev.url}/v1/accounts:signInWithCustomToken?key=any", timeout=30,
        json={"token": token.decode(), "returnSecureToken": True})
    assert response.status_code == 200, response.text
    return response.json()


def test_a_user_is_made_with_everything(admin):
    wanted = {
        "uid": fresh_uid(), "email": fresh_email(), "email_verified": True, "phone_number": fresh_phone(),
        "display_name": "Ada Lovelace", "photo_url": "https://example.com/ada.png", "disabled": True,
    }
    for user in (admin.create_user(**wanted, password=PASSWORD), admin.get_user(wanted["uid"])):
        assert {name: getattr(user, name) for name in wanted} == wanted
        assert {provider.provider_id for provider in user.provider_data} == {"password", "phone"}
        assert user.custom_claims is None
        assert abs(user.user_metadata.creation_timestamp / 1000 - time.time()) < 60
        assert user.user_metadata.last_sign_in_timestamp is None


def test_a_user_is_made_with_nothing(admin):
    user = admin.create_user()
    assert (user.email, user.phone_number, user.disabled) == (None, None, False)
    assert user.provider_data == []


@pytest.mark.parametrize("fields, error", [
    ({"uid": "uid"}, auth.UidAlreadyExistsError),
    ({"email": "email"}, auth.EmailAlreadyExistsError),
    ({"phone_number": "phone_number"}, auth.PhoneNumberAlreadyExistsError),
])
def test_what_is_taken_is_not_given_again(admin, fields, error):
    first = admin.create_user(uid=fresh_uid(), email=fresh_email(), phone_number=fresh_phone())
    with pytest.raises(error):
        admin.create_user(**{name: getattr(first, source) for name, source in fields.items()})


def test_a_user_is_found_in_every_way(admin):
    user = admin.create_user(email=fresh_email(), phone_number=fresh_phone())
    subject = secrets.token_hex(8)
    imported = auth.ImportUserRecord(
        uid=fresh_uid(), email=fresh_email(),
        provider_data=[auth.UserProvider(subject, "google.com", display_name="Grace")])
    assert admin.import_users([imported]).failure_count == 0
    assert admin.get_user(user.uid).email == user.email
    assert admin.get_user_by_email(user.email.upper()).uid == user.uid
    assert admin.get_user_by_phone_number(user.phone_number).uid == user.uid
    found = admin.get_users([
        auth.UidIdentifier(user.uid), auth.EmailIdentifier(user.email), auth.PhoneIdentifier(user.phone_number),
        auth.ProviderIdentifier("google.com", subject), auth.UidIdentifier("nobody"),
    ])
    assert sorted(found.users, key=lambda one: one.uid) and {one.uid for one in found.users} == {
        user.uid, imported.uid}
    assert [missing.uid for missing in found.not_found] == ["nobody"]


@pytest.mark.parametrize("find, name", [
    ("get_user", "nobody"), ("get_user_by_email", "nobody@example.com"), ("get_user_by_phone_number", "+15555550100"),
])
def test_nobody_is_not_found(admin, find, name):
    with pytest.raises(auth.UserNotFoundError):
        getattr(admin, find)(name)


def test_users_are_listed_in_pages(admin):
    made = {admin.create_user().uid for _ in range(5)}
    page = admin.list_users(max_results=2)
    assert len(page.users) == 2 and page.has_next_page
    every = [user.uid for user in page.iterate_all()]
    assert len(every) == len(set(every))
    assert made <= set(every)


def test_a_listed_user_shows_no_foreign_hash(admin, ada):
    [listed] = [user for user in admin.list_users().iterate_all() if user.uid == ada.uid]
    assert (listed.email, listed.display_name) == (ada.email, "Ada")


def test_a_user_is_changed(admin, client, ada):
    phone, email = fresh_phone(), fresh_email()
    changed = admin.update_user(
        ada.uid, email=email, email_verified=True, phone_number=phone, display_name="Ada Lovelace",
        photo_url="https://example.com/ada.png", password="staple battery horse")
    assert (changed.email, changed.email_verified, changed.phone_number) == (email, True, phone)
    assert (changed.display_name, changed.photo_url) == ("Ada Lovelace", "https://example.com/ada.png")
    signed_in = client.call("signInWithPassword", {"email": email, "password": "staple battery horse"})
    assert signed_in.body["localId"] == ada.uid


def test_what_a_user_has_is_taken_away(admin, ada):
    admin.update_user(ada.uid, phone_number=fresh_phone(), photo_url="https://example.com/ada.png")
    bare = admin.update_user(
        ada.uid, phone_number=auth.DELETE_ATTRIBUTE, photo_url=auth.DELETE_ATTRIBUTE,
        display_name=auth.DELETE_ATTRIBUTE)
    assert (bare.phone_number, bare.photo_url, bare.display_name) == (None, None, None)
    assert {provider.provider_id for provider in bare.provider_data} == {"password"}


def test_nobody_is_not_changed(admin):
    with pytest.raises(auth.UserNotFoundError):
        admin.update_user("nobody", display_name="Ada")


def test_claims_reach_the_token(admin, client, ada):
    before = signed_in(client, ada)
    admin.set_custom_user_claims(ada.uid, {"role": "editor", "level": 3})
    assert admin.get_user(ada.uid).custom_claims == {"role": "editor", "level": 3}
    refresh = {"grant_type": "refresh_token", "refresh_token": before["refreshToken"]}
    for token in (signed_in(client, ada)["idToken"], client.call("token", refresh).body["id_token"]):
        claims = admin.verify_id_token(token)
        assert (claims["role"], claims["level"], claims["uid"]) == ("editor", 3, ada.uid)
    admin.set_custom_user_claims(ada.uid, None)
    assert not admin.get_user(ada.uid).custom_claims
    assert "role" not in admin.verify_id_token(signed_in(client, ada)["idToken"])


def test_a_custom_token_signs_in_and_makes_the_user(admin, dev):
    uid = fresh_uid()
    user = by_custom_token(dev, admin.create_custom_token(uid, {"plan": "gold"}))
    assert user["isNewUser"] is True
    claims = admin.verify_id_token(user["idToken"], check_revoked=True)
    assert (claims["uid"], claims["plan"]) == (uid, "gold")
    assert claims["firebase"]["sign_in_provider"] == "custom"
    assert admin.get_user(uid).email is None
    assert by_custom_token(dev, admin.create_custom_token(uid))["isNewUser"] is False


def test_claims_of_a_custom_token_outlive_a_refresh(admin, client, dev):
    user = by_custom_token(dev, admin.create_custom_token(fresh_uid(), {"plan": "gold"}))
    refresh = {"grant_type": "refresh_token", "refresh_token": user["refreshToken"]}
    assert admin.verify_id_token(client.call("token", refresh).body["id_token"])["plan"] == "gold"


def test_a_session_cookie_is_made_and_believed(admin, client, ada):
    cookie = admin.create_session_cookie(signed_in(client, ada)["idToken"], timedelta(days=5))
    claims = admin.verify_session_cookie(cookie, check_revoked=True)
    assert (claims["uid"], claims["email"]) == (ada.uid, ada.email)
    assert claims["exp"] - claims["iat"] == timedelta(days=5).total_seconds()
    with pytest.raises(auth.InvalidIdTokenError):
        admin.verify_id_token(cookie)


def test_nothing_else_becomes_a_session_cookie(admin):
    with pytest.raises(auth.InvalidIdTokenError):
        admin.create_session_cookie("a.b.c", timedelta(days=5))


def test_revocation_is_seen(admin, client, earlier, ada):
    user = signed_in(client, ada)
    cookie = admin.create_session_cookie(user["idToken"], timedelta(hours=1))
    assert admin.verify_id_token(user["idToken"], check_revoked=True)["uid"] == ada.uid
    earlier()
    admin.revoke_refresh_tokens(ada.uid)
    with pytest.raises(auth.RevokedIdTokenError):
        admin.verify_id_token(user["idToken"], check_revoked=True)
    with pytest.raises(auth.RevokedSessionCookieError):
        admin.verify_session_cookie(cookie, check_revoked=True)
    assert admin.verify_id_token(user["idToken"])["uid"] == ada.uid
    refresh = {"grant_type": "refresh_token", "refresh_token": user["refreshToken"]}
    assert client.call("token", refresh).code == "TOKEN_EXPIRED"
    assert admin.verify_id_token(signed_in(client, ada)["idToken"], check_revoked=True)["uid"] == ada.uid


def test_who_is_disabled_is_out(admin, client, ada):
    user = signed_in(client, ada)
    admin.update_user(ada.uid, disabled=True)
    with pytest.raises(auth.UserDisabledError):
        admin.verify_id_token(user["idToken"], check_revoked=True)
    password = {"email": ada.email, "password": PASSWORD}
    refresh = {"grant_type": "refresh_token", "refresh_token": user["refreshToken"]}
    assert client.call("signInWithPassword", password).code == "USER_DISABLED"
    assert client.call("token", refresh).status == 400
    admin.update_user(ada.uid, disabled=False)
    assert client.call("signInWithPassword", password).body["localId"] == ada.uid


def test_who_is_disabled_is_told_so_at_the_next_refresh(admin, client, ada):
    user = signed_in(client, ada)
    admin.update_user(ada.uid, disabled=True)
    refresh = {"grant_type": "refresh_token", "refresh_token": user["refreshToken"]}
    assert client.call("token", refresh).code == "USER_DISABLED"


def test_a_user_is_deleted(admin, client, ada):
    user = signed_in(client, ada)
    admin.delete_user(ada.uid)
    with pytest.raises(auth.UserNotFoundError):
        admin.get_user(ada.uid)
    with pytest.raises(auth.UserNotFoundError):
        admin.delete_user(ada.uid)
    assert client.call("lookup", {"idToken": user["idToken"]}).code == "USER_NOT_FOUND"


def test_many_users_are_deleted(admin):
    # The library always forces, as one must for users who are not disabled.
    uids = [admin.create_user().uid for _ in range(3)]
    deleted = admin.delete_users([*uids, "nobody"])
    assert (deleted.success_count, deleted.failure_count) == (4, 0)
    assert admin.get_users([auth.UidIdentifier(uid) for uid in uids]).users == []


def test_users_are_imported(admin):
    claims = {"role": "editor"}
    records = [
        auth.ImportUserRecord(
            uid=fresh_uid(), email=fresh_email(), email_verified=True, display_name=f"User {number}",
            custom_claims=claims, user_metadata=auth.UserMetadata(creation_timestamp=1_600_000_000_000))
        for number in range(3)
    ]
    assert admin.import_users(records).success_count == 3
    for record in records:
        user = admin.get_user(record.uid)
        assert (user.email, user.display_name, user.custom_claims) == (record.email, record.display_name, claims)
        assert user.user_metadata.creation_timestamp == 1_600_000_000_000


def test_an_import_tells_which_failed(admin, ada):
    records = [
        auth.ImportUserRecord(uid=fresh_uid(), email=ada.email),
        auth.ImportUserRecord(uid=fresh_uid(), email=fresh_email()),
    ]
    result = admin.import_users(records)
    assert (result.success_count, result.failure_count) == (1, 1)
    assert [error.index for error in result.errors] == [0]


def test_an_id_may_be_used_again_once_the_accounts_are_cleared(admin, dev):
    uid = fresh_uid()
    admin.create_user(uid=uid)
    admin.delete_user(uid)
    url = f"{dev.url}/emulator/v1/projects/{dev.project}/accounts"
    requests.delete(url, timeout=30).raise_for_status()
    assert admin.create_user(uid=uid).uid == uid


def test_another_project_has_users_of_its_own(admin, ada):
    with Admin(f"demo-{secrets.token_hex(6)}", "other") as other:
        assert [user.uid for user in other.list_users().iterate_all()] == []
        assert other.create_user(uid=ada.uid, email=ada.email).uid == ada.uid


def followed(link, **more):
    """What a test suite for the emulator does with a link."""
    answer = requests.get(link, params=more, timeout=30, allow_redirects=False)
    assert answer.status_code in (200, 303), answer.text
    return answer


def test_a_link_for_a_new_password_is_made_and_followed(admin, dev, ada):
    link = admin.generate_password_reset_link(ada.email)
    done = followed(link, newPassword="staple battery horse").json()["authEmulator"]
    assert done["email"] == ada.email
    signed_in = {"email": ada.email, "password": "staple battery horse"}
    url = f"{dev.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=any"
    assert requests.post(url, json=signed_in, timeout=30).json()["localId"] == ada.uid
    assert requests.get(link, timeout=30).status_code == 400


def test_a_link_to_verify_an_address_is_made_and_followed(admin, ada):
    assert not admin.get_user(ada.uid).email_verified
    followed(admin.generate_email_verification_link(ada.email))
    assert admin.get_user(ada.uid).email_verified


def test_a_link_that_signs_in_is_made_and_followed(admin, dev, ada):
    settings = ActionCodeSettings("http://localhost/welcome?step=2", handle_code_in_app=True)
    answer = followed(admin.generate_sign_in_with_email_link(ada.email, settings))
    assert answer.status_code == 303
    place = urlsplit(answer.headers["Location"])
    query = parse_qs(place.query)
    assert (place.hostname, place.path, query["step"], query["mode"]) == ("localhost", "/welcome", ["2"], ["signIn"])
    body = {"email": ada.email, "oobCode": query["oobCode"][0]}
    url = f"{dev.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithEmailLink?key=any"
    assert requests.post(url, json=body, timeout=30).json()["localId"] == ada.uid


def test_nobody_gets_a_link_to_an_address_that_nobody_has(admin):
    with pytest.raises(auth.EmailNotFoundError):
        admin.generate_password_reset_link(fresh_email())
    with pytest.raises(UserNotFoundError):
        admin.generate_email_verification_link(fresh_email())


@pytest.fixture
def corp(admin):
    """The id of a fresh provider, its secret kept."""
    provider = f"oidc.{secrets.token_hex(8)}"
    admin.create_oidc_provider_config(
        provider_id=provider, client_id="c", issuer="https://id.example.com", display_name="Corp", enabled=True,
        client_secret="secret", code_response_type=True, id_token_response_type=False)
    yield provider
    admin.delete_oidc_provider_config(provider_id=provider)


def test_an_openid_connect_provider_is_configured(admin, corp):
    config = admin.get_oidc_provider_config(provider_id=corp)
    assert (config.provider_id, config.client_id, config.issuer) == (corp, "c", "https://id.example.com")
    assert (config.display_name, config.enabled, config.code_response_type) == ("Corp", True, True)
    assert config.client_secret is None


def test_an_openid_connect_provider_is_changed_in_parts(admin, corp):
    changed = admin.update_oidc_provider_config(
        provider_id=corp, display_name=auth.DELETE_ATTRIBUTE, enabled=False, issuer="https://other.example.com")
    assert (changed.display_name, changed.enabled, changed.issuer) == (None, False, "https://other.example.com")
    assert (changed.client_id, changed.code_response_type) == ("c", True)


def test_openid_connect_providers_are_listed_page_by_page(admin, corp):
    page = admin.list_oidc_provider_configs(max_results=1)
    assert len(page.provider_configs) == 1
    assert corp in {config.provider_id for config in page.iterate_all()}


def test_a_provider_that_is_not_configured_is_not_found(admin):
    with pytest.raises(auth.ConfigurationNotFoundError):
        admin.get_oidc_provider_config(provider_id="oidc.nobody")
    with pytest.raises(auth.ConfigurationNotFoundError):
        admin.delete_oidc_provider_config(provider_id="oidc.nobody")


def test_a_provider_is_configured_once(admin, corp):
    with pytest.raises(FirebaseError) as refused:
        admin.create_oidc_provider_config(provider_id=corp, client_id="c", issuer="https://id.example.com")
    assert refused.value.http_response.json()["error"]["message"] == "CONFIGURATION_EXISTS"


@pytest.fixture
def simulated(dev):
    return Simulated(dev)


@pytest.fixture
def federated(client, simulated):
    """Somebody with Apple and Google, and what each calls them."""
    person = fresh_person() | {"hidesEmail": True}
    apple, google = simulated.apple(person), simulated.google(person)
    session = client.call("signInWithIdp", by(apple)).body
    client.call("signInWithIdp", by(google, idToken=session["idToken"]))
    subjects = {
        proof["providerId"]: jwt.decode(proof["idToken"], options={"verify_signature": False})["sub"]
        for proof in (apple, google)}
    return person, session, subjects


def test_a_backend_sees_who_signed_in_with_apple_and_google(admin, federated):
    person, session, subjects = federated
    user = admin.get_user(session["localId"])
    assert {one.provider_id: one.uid for one in user.provider_data} == subjects
    emails = {one.provider_id: one.email for one in user.provider_data}
    assert emails == {"apple.com": session["email"], "google.com": person["email"]}
    assert (user.email, user.email_verified, user.display_name) == (session["email"], True, "Ada Lovelace")
    token = admin.verify_id_token(session["idToken"])
    assert token["firebase"]["sign_in_provider"] == "apple.com"


@pytest.mark.parametrize("provider", ["apple.com", "google.com"])
def test_a_backend_finds_by_the_providers_own_id(admin, federated, provider):
    _, session, subjects = federated
    found = admin.get_users([auth.ProviderIdentifier(provider, subjects[provider])])
    assert [user.uid for user in found.users] == [session["localId"]]


def test_a_backend_takes_a_provider_away(admin, client, simulated, federated):
    person, session, subjects = federated
    user = admin.update_user(session["localId"], providers_to_delete=["google.com"])
    assert [one.provider_id for one in user.provider_data] == ["apple.com"]
    assert admin.get_users([auth.ProviderIdentifier("google.com", subjects["google.com"])]).users == []
    assert client.call("signInWithIdp", by(simulated.apple(person))).body["localId"] == session["localId"]
    assert client.call("signInWithIdp", by(simulated.google(person))).body["localId"] != session["localId"]


def test_who_is_linked_by_a_backend_signs_in_there(admin, client, simulated, ada):
    """The library for Python cannot link; those for other languages send this."""
    person = fresh_person()
    proof = simulated.google(person)
    subject = jwt.decode(proof["idToken"], options={"verify_signature": False})["sub"]
    link = {"localId": ada.uid, "linkProviderUserInfo": {"providerId": "google.com", "rawId": subject}}
    answer = client.call("updateAccount", link, key=None, headers={"Authorization": "Bearer owner"})
    assert answer.status == 200, answer.body
    assert [one.provider_id for one in admin.get_user(ada.uid).provider_data if one.uid == subject] == ["google.com"]
    assert client.call("signInWithIdp", by(proof)).body["localId"] == ada.uid
