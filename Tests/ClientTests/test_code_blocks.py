"""A test runs every block of code in README.md and in the guides, or the document says why no test can."""

import ast
from pathlib import Path

import pytest

from documents import GUIDES, README, ROOT, code_blocks

TESTS = Path(__file__).parent
BACKEND, FIRST_HOUR, APPS = "test_backend_guide", "test_first_hour", "test_app_guides"
FACTORS = "test_second_factors"
EVENTS = "test_events"
COMPILED = f"{APPS}::test_swift_code_compiles_without_warnings"
PROJECT_FILES = "test_guides::test_the_project_files_in_the_guides_configure_apple_and_then_google"
TELEPHONE = "test_telephone"
PAGE = "test_sign_in_page_guide"
LOCAL_COMMAND = "The tests do not run this command, because it installs packages. They start the same gateway."

# By document, heading and index of the block: the test that runs it, or the sentence of the document that says why no
# test does.
CLAIMS = {
    "README.md": {
        ("Build, run and test", 0):
            "The tests do not run these two commands, because the commands install packages and run the tests.",
        ("A first session", 0): f"{FIRST_HOUR}::test_the_first_session_of_the_readme_has_the_described_responses",
        ("Sign in with Apple on your machine", 0):
            f"{FIRST_HOUR}::test_the_sign_in_with_apple_in_the_readme_creates_an_account_with_a_relay_address",
        ("In production", 0): "test_readme::test_the_commands_for_production_in_the_readme_start_a_gateway",
        ("Swift apps", 0): f"{APPS}::test_the_swift_code_of_the_readmes_compiles_without_warnings",
    },
    "apple-portal.md": {("5. The gateway", 0): PROJECT_FILES, ("5. The gateway", 1): PROJECT_FILES},
    "backend.md": {
        ("Create a service key", 0): f"{BACKEND}::test_the_command_creates_a_key_for_the_examples",
        ("curl", 0): f"{BACKEND}::test_the_curl_commands_create_change_and_delete_an_account",
        ("Python", 0): f"{BACKEND}::test_the_python_code_manages_accounts",
        ("Node", 0): f"{BACKEND}::test_the_node_code_manages_accounts",
        ("Go", 0): f"{BACKEND}::test_the_go_code_manages_accounts",
        ("Node (Admin SDK)", 0):
            f"{BACKEND}::test_the_admin_sdk_for_node_manages_accounts_through_the_printed_agent",
        ("Python (Admin SDK)", 0): f"{BACKEND}::test_the_admin_sdk_for_python_creates_a_custom_token",
        ("Go (Admin SDK)", 0): f"{BACKEND}::test_the_go_transport_sends_requests_for_google_to_the_gateway",
        ("Go (Admin SDK)", 1):
            "The tests run the transport, but not these two lines, because the SDK cannot be installed where the tests"
            " run.",
    },
    "emulator.md": {
        ("Use `sekisho dev` as the Firebase emulator", 0): LOCAL_COMMAND,
        ("Connect a Firebase SDK", 0):
            f"{FIRST_HOUR}::test_an_admin_sdk_with_the_variable_of_the_guide_to_the_emulator_manages_these_users",
        ("Sign in with Apple or Google", 0):
            f"{FIRST_HOUR}::test_the_sign_ins_in_the_guide_to_the_emulator_have_the_described_results",
    },
    "errors.md": {("Show errors to users", 0): COMPILED},
    "from-firebase-auth.md": {
        ("From FirebaseAuth to SekishoAuth", 0): COMPILED, ("Handle conflicts without another dialog", 0): COMPILED},
    "generated-clients.md": {
        ("Generate the client", 0):
            f"{FIRST_HOUR}::test_the_commands_of_the_guide_to_clients_generate_a_client_in_swift",
        ("Send a service key", 0): f"{BACKEND}::test_curl_looks_up_an_account_as_the_guide_to_clients_says",
    },
    "google-console.md": {("3. The gateway", 0): PROJECT_FILES, ("3. The gateway", 1): PROJECT_FILES,
        ("4. Receive Google's security events", 0):
            "test_google_signals::test_the_commands_of_the_guide_register_and_test_the_stream"},
    "high-availability.md": {
        ("A connection pooler", 0): "test_deployment::test_the_settings_for_a_pooler_are_those_of_the_tests",
        ("A cluster of PostgreSQL", 0): "test_deployment::test_a_shell_reads_the_hosts_of_a_cluster_as_systemd_does"},
    "ios.md": {
        ("1. Start a gateway", 0): LOCAL_COMMAND,
        ("1. Start a gateway", 1): "The tests do not run this command either, because it needs a second machine.",
        ("2. Add the library", 0): "test_client_package::test_an_app_builds_with_the_repository_of_the_library",
        ("2. Add the library", 1): COMPILED,
        ("3. Sign up and observe the user", 0): COMPILED,
        ("5. The sign-in view", 0): COMPILED,
        ("5. The sign-in view", 1): COMPILED,
        ("5. The sign-in view", 2): COMPILED,
        ("6. From a password to Apple", 0): COMPILED,
        ("8. Account deletion", 0): COMPILED,
        ("9. Production", 0): f"{APPS}::test_the_project_file_of_the_ios_guide_can_be_applied",
    },
    "events.md": {
        ("Create an endpoint", 0): f"{EVENTS}::test_the_commands_of_the_guide_configure_an_endpoint",
        ("Create an endpoint", 1): f"{EVENTS}::test_the_request_of_the_guide_creates_an_endpoint_in_dev",
        ("Receive events", 0): f"{EVENTS}::test_the_python_code_of_the_guide_mirrors_users",
        ("Failures", 0): f"{EVENTS}::test_the_commands_of_the_guide_configure_an_endpoint",
        ("Configure endpoints in a file", 0):
            f"{EVENTS}::test_the_project_file_of_the_guide_configures_an_endpoint",
        ("Read the feed", 0): f"{EVENTS}::test_the_curl_command_of_the_guide_reads_the_feed",
        ("Replace the secret", 0): f"{EVENTS}::test_the_commands_of_the_guide_configure_an_endpoint",
    },
    "hooks.md": {
        ("Configure the functions", 0): "test_hooks::test_the_code_of_the_guide_vetoes_sign_ups",
        ("Answer", 0): "test_hooks::test_the_code_of_the_guide_vetoes_sign_ups",
    },
    "leaving-firebase.md": {
        ("Import the users", 0): "test_readme::test_a_user_imported_as_in_the_guide_keeps_id_and_password"},
    "passkeys.md": {
        ("In a web page", 0): f"{APPS}::test_the_javascript_of_the_guide_to_passkeys_sends_what_the_browser_returns",
        ("In an app for Apple's platforms", 0): COMPILED,
        ("In an Android app", 0): "The tests do not run this code, because they have no Android.",
    },
    "second-factors.md": {
        ("Turn second factors on", 0): f"{FACTORS}::test_the_command_of_the_guide_turns_second_factors_on",
        ("Turn second factors on", 1): f"{FACTORS}::test_the_commands_of_the_guide_enroll_and_sign_in",
        ("Enrol", 0): f"{FACTORS}::test_the_commands_of_the_guide_enroll_and_sign_in",
        ("Enrol", 1): f"{FACTORS}::test_the_commands_of_the_guide_enroll_and_sign_in",
        ("Enrol", 2): f"{FACTORS}::test_the_javascript_of_the_guide_enrolls_and_signs_in",
        ("Sign in", 0): f"{FACTORS}::test_the_commands_of_the_guide_enroll_and_sign_in",
        ("Sign in", 1): f"{FACTORS}::test_the_commands_of_the_guide_enroll_and_sign_in",
        ("Sign in", 2): f"{FACTORS}::test_the_javascript_of_the_guide_enrolls_and_signs_in",
        ("Telephone numbers", 0): f"{FACTORS}::test_the_commands_of_the_guide_enroll_a_number_and_sign_in",
        ("Telephone numbers", 1): f"{FACTORS}::test_the_commands_of_the_guide_enroll_a_number_and_sign_in",
        ("Telephone numbers", 2): f"{FACTORS}::test_the_commands_of_the_guide_enroll_a_number_and_sign_in",
        ("Telephone numbers", 3): f"{FACTORS}::test_the_commands_of_the_guide_enroll_a_number_and_sign_in",
        ("Telephone numbers", 4): f"{FACTORS}::test_the_commands_of_the_guide_enroll_a_number_and_sign_in",
        ("Recovery codes", 0): f"{FACTORS}::test_the_commands_of_the_guide_enroll_and_sign_in",
    },
    "sign-in-page.md": {
        ("Configure the apps", 0): f"{PAGE}::test_the_project_file_of_the_guide_can_be_applied",
        ("Configure the apps", 1): f"{PAGE}::test_the_request_of_the_guide_gives_an_app_a_brand_in_dev",
        ("A web page", 0): f"{PAGE}::test_the_web_page_signs_in_and_tells_that_the_user_cancelled",
        ("A web page", 1): f"{PAGE}::test_the_web_page_signs_in_and_tells_that_the_user_cancelled",
        ("A web page", 2): f"{PAGE}::test_the_link_of_an_email_signs_in_to_the_web_page_in_a_new_tab",
        ("A site rendered on a server", 0): f"{PAGE}::test_the_server_signs_in_and_tells_that_the_user_cancelled",
        ("An app for Apple's platforms", 0): COMPILED,
        ("An Android app", 0): "The tests do not run this code, because they have no Android.",
        ("Guests, links and repeated sign-ins", 0): f"{PAGE}::test_a_guest_keeps_the_account",
        ("Guests, links and repeated sign-ins", 1):
            f"{PAGE}::test_a_guest_merges_into_an_account_adds_google_and_signs_in_again",
        ("Passwords and second factors", 0):
            f"{PAGE}::test_the_command_of_the_guide_makes_the_sign_up_of_dev_ask_for_a_code",
    },
    "telephone.md": {
        ("Turn it on", 0): f"{TELEPHONE}::test_the_project_files_of_the_guide_can_be_applied",
        ("The sender", 0): "This is what the gateway sends, so there is nothing to run.",
        ("The sender", 1): f"{TELEPHONE}::test_the_project_files_of_the_guide_can_be_applied",
        ("Sign in", 0): f"{TELEPHONE}::test_the_commands_of_the_guide_sign_in",
        ("Sign in", 1): f"{TELEPHONE}::test_the_commands_of_the_guide_sign_in",
        ("Sign in", 2): "test_firebase_js::test_the_javascript_of_the_guide_to_telephone_numbers_signs_in",
    },
    "verify-id-tokens.md": {
        ("Session cookies", 0): f"{BACKEND}::test_curl_looks_up_a_session_as_the_guide_to_verification_says",
        ("Python", 0): f"{APPS}::test_the_python_code_accepts_an_id_token_and_rejects_invalid_ones",
        ("Node", 0): f"{APPS}::test_the_node_code_accepts_an_id_token_and_rejects_invalid_ones",
        ("Go", 0): f"{APPS}::test_the_go_code_accepts_an_id_token_and_rejects_invalid_ones",
        ("Swift", 0): f"{APPS}::test_swift_code_for_backends_can_be_parsed",
    },
    "web.md": {
        ("With Firebase's SDK", 0): "test_web_guide::test_the_page_with_the_sdk_signs_in",
        ("With Firebase's SDK", 1): "test_web_guide::test_the_page_with_the_sdk_signs_in",
        ("With Firebase's SDK", 2): "test_web_guide::test_the_page_with_the_sdk_signs_in",
        ("With plain REST", 0): "test_web_guide::test_the_page_with_plain_rest_signs_in",
        ("With plain REST", 1): "test_web_guide::test_the_page_with_plain_rest_signs_in",
        ("With plain REST", 2): "test_web_guide::test_the_page_with_plain_rest_signs_in",
        ("With Apple's and Google's own scripts", 0):
            "test_web_guide::test_the_page_with_apples_script_signs_in_behind_the_printed_header",
        ("With Apple's and Google's own scripts", 1):
            "test_web_guide::test_the_page_with_googles_script_signs_in_behind_the_printed_header",
        ("With Apple's and Google's own scripts", 2):
            "test_web_guide::test_the_page_with_googles_script_signs_in_behind_the_printed_header",
        ("Without a browser", 0):
            f"{FIRST_HOUR}::test_the_sign_in_without_a_browser_in_the_web_guide_creates_an_account",
    },
}


def test_the_table_names_every_document_with_blocks():
    documents = [README, *sorted(GUIDES.glob("*.md"))]
    assert CLAIMS.keys() == {document.name for document in documents if code_blocks(document)}


@pytest.mark.parametrize("name", CLAIMS)
def test_every_block_is_run_by_a_test_or_has_a_reason(name):
    document = ROOT / name if name == "README.md" else GUIDES / name
    claims, text = CLAIMS[name], document.read_text()
    assert claims.keys() == {(block.heading, block.index) for block in code_blocks(document)}
    for claim in claims.values():
        file, _, test = claim.partition("::")
        if not test:
            assert claim in text
            continue
        source = ast.parse((TESTS / f"{file}.py").read_text())
        assert test in {node.name for node in source.body if isinstance(node, ast.FunctionDef)}, claim
