"""The view model of the sample app against a gateway, through its command-line version."""

import pytest
import requests

import gateway
from client import PASSWORD, fresh_email
from sample_app import SampleApp
from simulators import Simulators

pytestmark = pytest.mark.slow

NEW_PASSWORD = "another horse battery"
# Error codes of FirebaseAuth.
EMAIL_ALREADY_IN_USE = 17007
WRONG_PASSWORD = 17009
USER_NOT_FOUND = 17011
ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL = 17012
PROVIDER_ALREADY_LINKED = 17015
USER_MISMATCH = 17024
CREDENTIAL_ALREADY_IN_USE = 17025
NULL_USER = 17067
USED_LINK = "The link or code does not work. It may have been used already. Request a new one."


@pytest.fixture
def start_on(fresh_dev, tmp_path):
    """A function that starts the app on the device of a given name. The device keeps the session between starts."""
    apps = []

    def start(name):
        app = SampleApp(fresh_dev.url, tmp_path / name, "--device", name)
        apps.append(app)
        return app

    yield start
    for app in apps:
        app.kill()


@pytest.fixture
def app(start_on):
    return start_on("phone")


@pytest.fixture
def make_login_old(fresh_dev):
    """A function that advances the clock by ten minutes. A login is recent for five minutes."""
    yield lambda: gateway.change_clock(fresh_dev, advanceSeconds=600)
    gateway.change_clock(fresh_dev, reset=True)


def link_for(fresh_dev, email, request_type):
    """The newest link of a type that was sent to an address."""
    return fresh_dev.action_codes(email, request_type)[-1]["oobLink"]


def error_code(screen):
    return screen.get("error", {}).get("code")


def test_the_first_screen_offers_apple_first(app):
    assert app.screen["screen"] == "signIn"
    assert app.screen["loginMethods"] == ["apple.com", "google.com", "password", "phone"]
    assert "user" not in app.screen


def test_the_user_signs_up_and_verifies_the_email_address(app, fresh_dev):
    email = fresh_email()
    screen = app.run_ok("sign-up", email, PASSWORD)
    assert screen["screen"] == "home"
    assert screen["notice"] == f"We have sent a link to {email}."
    assert (app.user["email"], app.user["isEmailVerified"], app.user["methods"]) == (email, False, ["password"])
    app.run_ok("open", link_for(fresh_dev, email, "VERIFY_EMAIL"))
    assert app.user["isEmailVerified"] is True


def test_a_used_link_and_a_taken_address_are_explained(app, start_on, fresh_dev):
    email = fresh_email()
    app.run_ok("sign-up", email, PASSWORD)
    link = link_for(fresh_dev, email, "VERIFY_EMAIL")
    app.run_ok("open", link)
    assert app.run("open", link)["error"]["text"] == USED_LINK
    other = start_on("tablet")
    assert error_code(other.run("sign-up", email, PASSWORD)) == EMAIL_ALREADY_IN_USE
    assert error_code(other.run("sign-in", email, "wrong")) == WRONG_PASSWORD
    assert other.screen["screen"] == "signIn"


def test_the_profile_survives_a_restart_and_shows_changes_of_other_devices(app, start_on):
    email = fresh_email()
    app.run_ok("sign-up", email, PASSWORD)
    app.run_ok("rename", "Ada Lovelace & Söhne + 愛")
    assert app.user["name"] == "Ada Lovelace & Söhne + 愛"
    app.kill()
    restarted = start_on("phone")
    assert restarted.user == app.user
    tablet = start_on("tablet")
    tablet.run_ok("sign-in", email, PASSWORD)
    tablet.run_ok("rename", "Countess of Lovelace")
    assert restarted.run_ok("refresh")["user"]["name"] == "Countess of Lovelace"
    assert "name" not in restarted.run_ok("rename", "")["user"]


def test_a_verified_new_address_replaces_the_address_of_the_account(app, fresh_dev):
    app.run_ok("sign-up", fresh_email(), PASSWORD)
    new = fresh_email()
    app.run_ok("change-email", new)
    app.run_ok("open", link_for(fresh_dev, new, "VERIFY_AND_CHANGE_EMAIL"))
    # The change of the address has ended all sessions.
    assert app.screen["screen"] == "signIn"
    app.run_ok("sign-in", new, PASSWORD)
    assert (app.user["email"], app.user["isEmailVerified"]) == (new, True)


def test_a_password_change_continues_after_a_reauthentication(app, fresh_dev, make_login_old):
    email = fresh_email()
    app.run_ok("sign-up", email, PASSWORD)
    make_login_old()
    assert app.run("change-password", NEW_PASSWORD)["reauthentication"] == ["password"]
    assert "error" not in app.screen
    assert error_code(app.run("reauthenticate", email, "wrong")) == WRONG_PASSWORD
    assert app.screen["reauthentication"] == ["password"]
    screen = app.run_ok("reauthenticate", email, PASSWORD)
    assert screen["notice"] == "The password is changed."
    assert "reauthentication" not in screen
    app.run_ok("sign-out")
    assert app.screen["screen"] == "signIn"
    app.run_ok("sign-in", email, NEW_PASSWORD)


def test_a_cancelled_reauthentication_changes_nothing(app, make_login_old):
    app.run_ok("sign-up", fresh_email(), PASSWORD)
    make_login_old()
    assert "reauthentication" in app.run("delete")
    assert "reauthentication" not in app.run("cancel")
    assert app.screen["screen"] == "home"


def test_the_user_resets_the_password_and_signs_in_with_a_link(app, fresh_dev):
    email = fresh_email()
    app.run_ok("sign-up", email, PASSWORD)
    app.run_ok("sign-out")
    app.run_ok("send-password-reset", email)
    reset = link_for(fresh_dev, email, "PASSWORD_RESET")
    assert requests.get(reset + f"&newPassword={NEW_PASSWORD}", timeout=30).status_code == 200
    app.run_ok("sign-in", email, NEW_PASSWORD)
    app.run_ok("sign-out")
    app.run_ok("send-sign-in-link", email, "https://localhost/app")
    app.run_ok("open", link_for(fresh_dev, email, "EMAIL_SIGNIN"))
    assert app.user["email"] == email


def test_an_anonymous_user_keeps_the_account_after_adding_a_password(app):
    uid = app.run_ok("anonymous")["user"]["uid"]
    assert app.user["isAnonymous"] is True
    email = fresh_email()
    app.run_ok("link-password", email, PASSWORD)
    assert app.user == {
        "uid": uid, "email": email, "isAnonymous": False, "isEmailVerified": False, "methods": ["password"]}


def test_the_name_of_the_first_sign_in_with_apple_is_kept(app):
    person = fresh_email()
    uid = app.run_ok("apple", "sign-in", person)["user"]["uid"]
    assert (app.user["name"], app.user["methods"]) == ("Ada Lovelace", ["apple.com"])
    app.run_ok("sign-out")
    # Apple does not send the name again.
    app.run_ok("apple", "sign-in", person)
    assert (app.user["uid"], app.user["name"]) == (uid, "Ada Lovelace")


def test_sign_in_methods_are_linked_and_removed(app):
    person = fresh_email()
    uid = app.run_ok("apple", "sign-in", person)["user"]["uid"]
    app.run_ok("google", "link", person)
    assert app.user["methods"] == ["apple.com", "google.com"]
    assert error_code(app.run("google", "link", fresh_email())) == PROVIDER_ALREADY_LINKED
    app.run_ok("unlink", "google.com")
    assert app.user["methods"] == ["apple.com"]
    assert app.user["uid"] == uid


def test_an_anonymous_user_can_switch_to_the_account_of_a_taken_identity(app):
    person = fresh_email()
    apple_uid = app.run_ok("apple", "sign-in", person)["user"]["uid"]
    app.run_ok("sign-out")
    anonymous_id = app.run_ok("anonymous")["user"]["uid"]
    assert error_code(app.run("apple", "link", person)) == CREDENTIAL_ALREADY_IN_USE
    assert (app.screen["conflict"], app.user["uid"]) == ("otherAccount", anonymous_id)
    # The app opens no second dialog of Apple.
    screen = app.run_ok("use-other-account")
    assert app.user["uid"] == apple_uid
    assert "conflict" not in screen


def test_an_account_can_be_merged_into_the_account_of_a_taken_identity(app, start_on):
    person = fresh_email()
    apple_uid = app.run_ok("apple", "sign-in", person)["user"]["uid"]
    app.run_ok("sign-out")
    email = fresh_email()
    app.run_ok("sign-up", email, PASSWORD)
    app.run("apple", "link", person)
    app.run_ok("merge")
    assert app.user["uid"] == apple_uid
    app.run_ok("refresh")
    assert error_code(start_on("tablet").run("sign-in", email, PASSWORD)) == USER_NOT_FOUND


def test_after_a_conflict_of_addresses_the_sign_in_with_the_password_links_the_identity(app):
    email = fresh_email()
    uid = app.run_ok("sign-up", email, PASSWORD)["user"]["uid"]
    app.run_ok("sign-out")
    assert error_code(app.run("google", "sign-in", email, "unverified")) == ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL
    assert (app.screen["screen"], app.screen["conflict"]) == ("signIn", "signInFirst")
    # The app opens no second dialog of Google.
    assert "conflict" not in app.run_ok("sign-in", email, PASSWORD)
    assert (app.user["uid"], app.user["methods"]) == (uid, ["password", "google.com"])


def test_after_a_conflict_of_addresses_the_sign_in_to_another_account_links_nothing(app):
    email, other = fresh_email(), fresh_email()
    for address in (email, other):
        app.run_ok("sign-up", address, PASSWORD)
        app.run_ok("sign-out")
    app.run("google", "sign-in", email, "unverified")
    assert app.screen["conflict"] == "signInFirst"
    assert "conflict" not in app.run_ok("sign-in", other, PASSWORD)
    assert app.user["methods"] == ["password"]


def test_reauthentication_as_another_person_is_rejected(app):
    uid = app.run_ok("apple", "sign-in", fresh_email())["user"]["uid"]
    assert error_code(app.run("apple", "reauthenticate", fresh_email())) == USER_MISMATCH
    assert app.user["uid"] == uid


def test_a_device_is_signed_out_from_another_device(app, start_on):
    email = fresh_email()
    app.run_ok("sign-up", email, PASSWORD)
    tablet = start_on("tablet")
    tablet.run_ok("sign-in", email, PASSWORD)
    devices = tablet.run_ok("devices")["devices"]
    assert {entry["name"]: entry["isCurrent"] for entry in devices} == {"tablet": True, "phone": False}
    [phone] = [entry["id"] for entry in devices if entry["name"] == "phone"]
    assert [entry["name"] for entry in tablet.run_ok("end-session", phone)["devices"]] == ["tablet"]
    app.run("refresh")
    assert app.screen["screen"] == "signIn"
    tablet.run_ok("refresh")
    tablet.run_ok("end-all-sessions")
    assert tablet.screen["screen"] == "signIn"
    assert start_on("tablet").screen["screen"] == "signIn"


def test_a_signed_out_device_is_not_in_the_list(app, start_on):
    email = fresh_email()
    app.run_ok("sign-up", email, PASSWORD)
    tablet = start_on("tablet")
    tablet.run_ok("sign-in", email, PASSWORD)
    tablet.run_ok("sign-out")
    # The sign-out does not wait for the request that ends the session.
    assert gateway.eventually(lambda: [entry["name"] for entry in app.run_ok("devices")["devices"]] == ["phone"])


def test_deletion_reauthenticates_with_apple_and_revokes_its_tokens(app, start_on, fresh_dev, make_login_old):
    person = fresh_email()
    revocations = Simulators(fresh_dev).revocation_count()
    app.run_ok("apple", "sign-in", person)
    make_login_old()
    assert app.run("delete")["reauthentication"] == ["apple.com"]
    screen = app.run_ok("apple", "reauthenticate", person)
    assert screen["notice"] == "The account is deleted. The app is disconnected from your Apple Account."
    assert screen["screen"] == "signIn"
    assert start_on("phone").screen["screen"] == "signIn"
    assert gateway.eventually(lambda: Simulators(fresh_dev).revocation_count() > revocations)


def test_deletion_without_an_apple_identity_mentions_no_apple_account(app):
    app.run_ok("sign-up", fresh_email(), PASSWORD)
    assert app.run_ok("delete")["notice"] == "The account is deleted."
    # No user is signed in any more.
    assert error_code(app.run("delete")) == NULL_USER
