"""The view model of the sample app against a gateway, through its command-line version."""

import pytest
import requests

import gateway
from client import PASSWORD, fresh_email
from installation import new_database
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


@pytest.fixture(scope="module")
def own_dev(folder, dev):
    """A gateway for this file alone, because its tests change the clock."""
    own_folder = folder / "sample"
    own_folder.mkdir(mode=0o711)
    with gateway.dev(own_folder, "--database-url", new_database(dev.database_url)) as running:
        yield running


@pytest.fixture
def device(own_dev, tmp_path):
    """Starts the app on a device, by the device's name. A device keeps its session between starts."""
    apps = []

    def start(name="phone"):
        app = SampleApp(own_dev.url, tmp_path / name, "--device", name)
        apps.append(app)
        return app

    yield start
    for app in apps:
        app.kill()


@pytest.fixture
def app(device):
    return device()


@pytest.fixture
def later(own_dev):
    """Advances the clock by ten minutes. A login is recent for five minutes."""
    yield lambda: gateway.set_clock(own_dev, advanceSeconds=600)
    gateway.set_clock(own_dev, reset=True)


def link_for(own_dev, email, request_type):
    """The newest link that was sent to an address."""
    listed = requests.get(f"{own_dev.url}/emulator/v1/projects/demo/oobCodes", timeout=30).json()["oobCodes"]
    matching = [code for code in listed if code["requestType"] == request_type and email in code.values()]
    return matching[-1]["oobLink"]


def code_of(screen):
    return screen.get("error", {}).get("code")


def test_the_first_screen_offers_apple_first(app):
    assert app.screen["screen"] == "signIn"
    assert app.screen["loginMethods"] == ["apple.com", "google.com", "password"]
    assert "user" not in app.screen


def test_the_user_signs_up_and_verifies_the_email_address(app, own_dev):
    email = fresh_email()
    screen = app.succeed("sign-up", email, PASSWORD)
    assert screen["screen"] == "home"
    assert screen["notice"] == f"We have sent a link to {email}."
    assert (app.user["email"], app.user["isEmailVerified"], app.user["methods"]) == (email, False, ["password"])
    app.succeed("open", link_for(own_dev, email, "VERIFY_EMAIL"))
    assert app.user["isEmailVerified"] is True


def test_a_used_link_and_a_taken_address_are_explained(app, device, own_dev):
    email = fresh_email()
    app.succeed("sign-up", email, PASSWORD)
    link = link_for(own_dev, email, "VERIFY_EMAIL")
    app.succeed("open", link)
    assert app.run("open", link)["error"]["text"] == "The code from the email is not valid or was already used."
    other = device("tablet")
    assert code_of(other.run("sign-up", email, PASSWORD)) == EMAIL_ALREADY_IN_USE
    assert code_of(other.run("sign-in", email, "wrong")) == WRONG_PASSWORD
    assert other.screen["screen"] == "signIn"


def test_the_profile_survives_a_restart_and_shows_changes_of_other_devices(app, device):
    email = fresh_email()
    app.succeed("sign-up", email, PASSWORD)
    app.succeed("rename", "Ada Lovelace & Söhne + 愛")
    assert app.user["name"] == "Ada Lovelace & Söhne + 愛"
    app.kill()
    restarted = device()
    assert restarted.user == app.user
    tablet = device("tablet")
    tablet.succeed("sign-in", email, PASSWORD)
    tablet.succeed("rename", "Countess of Lovelace")
    assert restarted.succeed("refresh")["user"]["name"] == "Countess of Lovelace"
    assert "name" not in restarted.succeed("rename", "")["user"]


def test_a_verified_new_address_replaces_the_address_of_the_account(app, own_dev):
    app.succeed("sign-up", fresh_email(), PASSWORD)
    new = fresh_email()
    app.succeed("change-email", new)
    app.succeed("open", link_for(own_dev, new, "VERIFY_AND_CHANGE_EMAIL"))
    # The change of the address has ended all sessions.
    assert app.screen["screen"] == "signIn"
    app.succeed("sign-in", new, PASSWORD)
    assert (app.user["email"], app.user["isEmailVerified"]) == (new, True)


def test_a_password_change_continues_after_a_recent_login(app, own_dev, later):
    email = fresh_email()
    app.succeed("sign-up", email, PASSWORD)
    later()
    assert app.run("change-password", NEW_PASSWORD)["reauthentication"] == ["password"]
    assert "error" not in app.screen
    assert code_of(app.run("reauthenticate", email, "wrong")) == WRONG_PASSWORD
    assert app.screen["reauthentication"] == ["password"]
    screen = app.succeed("reauthenticate", email, PASSWORD)
    assert screen["notice"] == "The password is changed."
    assert "reauthentication" not in screen
    app.succeed("sign-out")
    assert app.screen["screen"] == "signIn"
    app.succeed("sign-in", email, NEW_PASSWORD)


def test_a_cancelled_reauthentication_changes_nothing(app, later):
    app.succeed("sign-up", fresh_email(), PASSWORD)
    later()
    assert "reauthentication" in app.run("delete")
    assert "reauthentication" not in app.run("cancel")
    assert app.screen["screen"] == "home"


def test_the_user_resets_the_password_and_signs_in_with_a_link(app, own_dev):
    email = fresh_email()
    app.succeed("sign-up", email, PASSWORD)
    app.succeed("sign-out")
    app.succeed("send-password-reset", email)
    reset = link_for(own_dev, email, "PASSWORD_RESET")
    assert requests.get(reset + f"&newPassword={NEW_PASSWORD}", timeout=30).status_code == 200
    app.succeed("sign-in", email, NEW_PASSWORD)
    app.succeed("sign-out")
    app.succeed("send-sign-in-link", email, "https://localhost/app")
    app.succeed("open", link_for(own_dev, email, "EMAIL_SIGNIN"))
    assert app.user["email"] == email


def test_an_anonymous_user_keeps_the_account_with_a_password(app):
    uid = app.succeed("anonymous")["user"]["uid"]
    assert app.user["isAnonymous"] is True
    email = fresh_email()
    app.succeed("link-password", email, PASSWORD)
    assert app.user == {
        "uid": uid, "email": email, "isAnonymous": False, "isEmailVerified": False, "methods": ["password"]}


def test_the_name_of_the_first_sign_in_with_apple_is_kept(app):
    person = fresh_email()
    uid = app.succeed("apple", "sign-in", person)["user"]["uid"]
    assert (app.user["name"], app.user["methods"]) == ("Ada Lovelace", ["apple.com"])
    app.succeed("sign-out")
    # Apple does not send the name again.
    app.succeed("apple", "sign-in", person)
    assert (app.user["uid"], app.user["name"]) == (uid, "Ada Lovelace")


def test_methods_are_linked_and_removed(app):
    person = fresh_email()
    uid = app.succeed("apple", "sign-in", person)["user"]["uid"]
    app.succeed("google", "link", person)
    assert app.user["methods"] == ["apple.com", "google.com"]
    assert code_of(app.run("google", "link", fresh_email())) == PROVIDER_ALREADY_LINKED
    app.succeed("unlink", "google.com")
    assert app.user["methods"] == ["apple.com"]
    assert app.user["uid"] == uid


def test_an_identity_of_another_account_can_be_used_instead(app):
    person = fresh_email()
    owner = app.succeed("apple", "sign-in", person)["user"]["uid"]
    app.succeed("sign-out")
    guest = app.succeed("anonymous")["user"]["uid"]
    assert code_of(app.run("apple", "link", person)) == CREDENTIAL_ALREADY_IN_USE
    assert (app.screen["conflict"], app.user["uid"]) == ("otherAccount", guest)
    # Without another dialog of Apple.
    screen = app.succeed("use-other-account")
    assert app.user["uid"] == owner
    assert "conflict" not in screen


def test_the_account_can_be_merged_into_the_account_of_an_identity(app, device):
    person = fresh_email()
    owner = app.succeed("apple", "sign-in", person)["user"]["uid"]
    app.succeed("sign-out")
    email = fresh_email()
    app.succeed("sign-up", email, PASSWORD)
    app.run("apple", "link", person)
    app.succeed("merge")
    assert app.user["uid"] == owner
    app.succeed("refresh")
    assert code_of(device("tablet").run("sign-in", email, PASSWORD)) == USER_NOT_FOUND


def test_after_a_conflict_of_addresses_the_sign_in_links_the_identity(app):
    email = fresh_email()
    uid = app.succeed("sign-up", email, PASSWORD)["user"]["uid"]
    app.succeed("sign-out")
    assert code_of(app.run("google", "sign-in", email, "unverified")) == ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL
    assert (app.screen["screen"], app.screen["conflict"]) == ("signIn", "signInFirst")
    # Without another dialog of Google.
    assert "conflict" not in app.succeed("sign-in", email, PASSWORD)
    assert (app.user["uid"], app.user["methods"]) == (uid, ["password", "google.com"])


def test_after_a_conflict_of_addresses_the_sign_in_to_another_account_links_nothing(app):
    email, other = fresh_email(), fresh_email()
    for address in (email, other):
        app.succeed("sign-up", address, PASSWORD)
        app.succeed("sign-out")
    app.run("google", "sign-in", email, "unverified")
    assert app.screen["conflict"] == "signInFirst"
    assert "conflict" not in app.succeed("sign-in", other, PASSWORD)
    assert app.user["methods"] == ["password"]


def test_reauthentication_as_another_person_is_rejected(app):
    uid = app.succeed("apple", "sign-in", fresh_email())["user"]["uid"]
    assert code_of(app.run("apple", "reauthenticate", fresh_email())) == USER_MISMATCH
    assert app.user["uid"] == uid


def test_a_device_is_signed_out_from_another_device(app, device):
    email = fresh_email()
    app.succeed("sign-up", email, PASSWORD)
    tablet = device("tablet")
    tablet.succeed("sign-in", email, PASSWORD)
    devices = tablet.succeed("devices")["devices"]
    assert {entry["name"]: entry["isCurrent"] for entry in devices} == {"tablet": True, "phone": False}
    [phone] = [entry["id"] for entry in devices if entry["name"] == "phone"]
    assert [entry["name"] for entry in tablet.succeed("end-session", phone)["devices"]] == ["tablet"]
    app.run("refresh")
    assert app.screen["screen"] == "signIn"
    tablet.succeed("refresh")
    tablet.succeed("end-all-sessions")
    assert tablet.screen["screen"] == "signIn"
    assert device("tablet").screen["screen"] == "signIn"


def test_a_signed_out_device_is_not_in_the_list(app, device):
    email = fresh_email()
    app.succeed("sign-up", email, PASSWORD)
    tablet = device("tablet")
    tablet.succeed("sign-in", email, PASSWORD)
    tablet.succeed("sign-out")
    # The sign-out does not wait for the request that ends the session.
    assert gateway.eventually(lambda: [entry["name"] for entry in app.succeed("devices")["devices"]] == ["phone"])


def test_deletion_reauthenticates_with_apple_and_revokes_its_tokens(app, device, own_dev, later):
    person = fresh_email()
    revocations = Simulators(own_dev).revocations()
    app.succeed("apple", "sign-in", person)
    later()
    assert app.run("delete")["reauthentication"] == ["apple.com"]
    screen = app.succeed("apple", "reauthenticate", person)
    assert screen["notice"] == "The account is deleted. The app is disconnected from your Apple Account."
    assert screen["screen"] == "signIn"
    assert device().screen["screen"] == "signIn"
    assert gateway.eventually(lambda: Simulators(own_dev).revocations() > revocations)


def test_deletion_without_an_apple_identity_mentions_no_apple_account(app):
    app.succeed("sign-up", fresh_email(), PASSWORD)
    assert app.succeed("delete")["notice"] == "The account is deleted."
    assert code_of(app.run("delete")) == NULL_USER
