"""Firebase's Admin SDK and JavaScript SDK in Node, and next-firebase-auth-edge, with `sekisho dev` as their emulator.

The Admin SDK for Node accepts only unsigned tokens from an emulator; see `UnsignedTokenTests`.
"""

import subprocess

import pytest

from firebase_node import requires_node_sdk, run_steps, steps

ADMIN, CLIENT, EDGE = "firebase-admin.cjs", "firebase-client.cjs", "next-firebase-auth-edge.cjs"

# Functions without a step of their own, by script.
NOT_TESTED = {
    "admin.cjs": {
        "verifyDecodedJWTNotRevokedOrDisabled",  # private; verifyIdToken and verifySessionCookie call it
    },
    "client.cjs": {
        # Each script calls these two at its beginning.
        "connectAuthEmulator", "initializeAuth",
        # They need the window of a browser.
        "getRedirectResult", "initializeRecaptchaConfig", "linkWithPopup", "linkWithRedirect",
        "reauthenticateWithPopup", "reauthenticateWithRedirect", "signInWithPopup", "signInWithRedirect",
        "useDeviceLanguage",
        # Telephone numbers are not supported yet.
        "linkWithPhoneNumber", "reauthenticateWithPhoneNumber", "signInWithPhoneNumber", "updatePhoneNumber",
        # Values that are functions in the SDK's build.
        "browserCookiePersistence", "browserLocalPersistence", "browserSessionPersistence",
        "inMemoryPersistence", "indexedDBLocalPersistence", "debugErrorMap", "prodErrorMap",
    },
    "edge.cjs": {"createAnonymousUser"},  # calls Google's servers even in emulator mode
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def service_account_key(tmp_path_factory):
    """The private key of a Google service account, as in a service account's file."""
    path = tmp_path_factory.mktemp("key") / "key.pem"
    command = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", path]
    subprocess.run(command, capture_output=True, timeout=60, check=True)
    return path


@pytest.fixture(scope="module")
def admin_run(fresh_dev):
    return run_steps(fresh_dev, "admin.cjs", ADMIN)


@pytest.fixture(scope="module")
def client_run(fresh_dev):
    return run_steps(fresh_dev, "client.cjs", CLIENT)


@pytest.fixture(scope="module")
def edge_run(fresh_dev, service_account_key):
    return run_steps(fresh_dev, "edge.cjs", EDGE, service_account_key)


@requires_node_sdk(ADMIN)
@pytest.mark.parametrize("step", steps("admin.cjs"))
def test_the_admin_sdk_for_node_works(admin_run, step):
    assert admin_run[0][step] is None


@requires_node_sdk(CLIENT)
@pytest.mark.parametrize("step", steps("client.cjs"))
def test_the_javascript_sdk_works_in_node(client_run, step):
    assert client_run[0][step] is None


@requires_node_sdk(EDGE)
@pytest.mark.parametrize("step", steps("edge.cjs"))
def test_next_firebase_auth_edge_works(edge_run, step):
    assert edge_run[0][step] is None


@requires_node_sdk(ADMIN, CLIENT, EDGE)
@pytest.mark.parametrize("script", NOT_TESTED)
def test_every_function_of_the_sdks_is_tested(request, script):
    _, functions = request.getfixturevalue(script.replace(".cjs", "_run"))
    assert functions - set(steps(script)) == NOT_TESTED[script]
