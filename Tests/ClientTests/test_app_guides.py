"""Code in Deploy/guides: Swift code for apps compiles, Swift code for backends can be parsed, and code in other
languages verifies ID tokens."""

import json

import jwt
import pytest

from apple_frameworks import LIBRARY, LIBRARY_OPTIONS, emit_module, emit_stubs, type_check
from client import Client, unverified_claims
from documents import GUIDES, README, ROOT, code_block, code_blocks
from processes import run_program

pytestmark = pytest.mark.slow

# The issuer in the examples of verify-id-tokens.md.
ISSUER = "https://auth.example.com/my-app"
LIBRARY_README = ROOT / "Sources/Client/README.md"
# Calls the function `newVerifier` of the Go code in the guide.
GO_MAIN = """\
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/coreos/go-oidc"
)

func main() {
	ctx := context.Background()
	verifier, err := newVerifier(ctx)
	if err == nil {
		var token *oidc.IDToken
		if token, err = verifier.Verify(ctx, os.Args[1]); err == nil {
			fmt.Println(token.Subject)
			return
		}
	}
	fmt.Println("rejected")
}

"""


# A browser that returns its input, and a gateway that rejects the fifth request. Prints what was sent.
BROWSER_WITH_PASSKEYS = """\
const gateway = "https://auth.example.com", apiKey = "pk_1", sent = [];
const result = {credentialRequestOptions: "request", credentialCreationOptions: "creation"};
globalThis.fetch = async (url, options) => {
  const ok = sent.length < 4;
  if (ok) sent.push([url, JSON.parse(options.body)]);
  return {ok, json: async () => ok ? result : {error: {errorCode: "PASSKEY_NOT_ENABLED"}}};
};
const parse = parsed => ({parsed});
globalThis.PublicKeyCredential = {parseRequestOptionsFromJSON: parse, parseCreationOptionsFromJSON: parse};
const ask = async ({publicKey}) => ({toJSON: () => ({from: publicKey})});
Object.defineProperty(globalThis, "navigator", {value: {credentials: {get: ask, create: ask}}});
CODE
signInWithPasskey()
  .then(() => addPasskey("t", "Laptop"))
  .then(() => signInWithPasskey())
  .catch(error => sent.push(error.message))
  .then(() => console.log(JSON.stringify(sent)));
"""


def code_blocks_of_guide(guide, language):
    return [block.text for block in code_blocks(GUIDES / guide) if block.language == language]


def swift_blocks():
    return [
        pytest.param(guide, block, id=f"{guide}-{number}")
        for guide in ("ios.md", "from-firebase-auth.md", "errors.md", "passkeys.md", "sign-in-page.md")
        for number, block in enumerate(code_blocks_of_guide(guide, "swift"))
    ]


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """A folder with the stubs of Apple's frameworks, and the library compiled against them."""
    folder = tmp_path_factory.mktemp("modules")
    emit_stubs(folder)
    emit_module("SekishoAuth", LIBRARY, folder, *LIBRARY_OPTIONS)
    return folder


def type_check_for_apps(code, language_mode, modules, folder):
    """Checks the types of code that imports Foundation and SekishoAuth. Warnings count as errors."""
    file = folder / "Guide.swift"
    file.write_text("import Foundation\n" + ("" if "import SekishoAuth" in code else "import SekishoAuth\n") + code)
    type_check("Guide", [file], "-swift-version", language_mode, "-I", modules)


@pytest.mark.parametrize("language_mode", ["5", "6"])
@pytest.mark.parametrize("guide, block", swift_blocks())
def test_swift_code_compiles_without_warnings(guide, block, language_mode, modules, tmp_path):
    type_check_for_apps(block, language_mode, modules, tmp_path)


def test_the_javascript_of_the_guide_to_passkeys_sends_what_the_browser_returns():
    [block] = code_blocks_of_guide("passkeys.md", "js")
    output = run_program("node", "--eval", BROWSER_WITH_PASSKEYS.replace("CODE", block))
    url = "https://auth.example.com/v2/accounts/{}?key=pk_1"
    assert json.loads(output) == [
        [url.format("passkeySignIn:start"), {}],
        [url.format("passkeySignIn:finalize"), {
            "authenticatorAuthenticationResponse": {"from": {"parsed": "request"}}}],
        [url.format("passkeyEnrollment:start"), {"idToken": "t"}],
        [url.format("passkeyEnrollment:finalize"), {
            "idToken": "t", "name": "Laptop", "authenticatorRegistrationResponse": {"from": {"parsed": "creation"}}}],
        "PASSKEY_NOT_ENABLED",
    ]


def test_the_swift_code_of_the_readmes_compiles_without_warnings(modules, tmp_path):
    for document, heading in [(README, "Swift apps"), (LIBRARY_README, "SekishoAuth")]:
        code = code_block(document, heading).removeprefix("import SekishoAuth\n")
        type_check_for_apps(
            f"func example(credential: AuthCredential) async throws {{\n{code}_ = result\n}}\n", "6", modules, tmp_path)


def test_the_app_of_the_sample_compiles_without_warnings(modules, tmp_path):
    sample = ROOT / "Examples/SekishoSample"
    emit_module(
        "SekishoSample", sorted((sample / "Sources/SekishoSample").rglob("*.swift")), modules,
        "-enable-upcoming-feature", "ExistentialAny")
    type_check_for_apps(code_block(sample / "README.md", "In Xcode"), "6", modules, tmp_path)


def test_swift_code_for_backends_can_be_parsed(tmp_path):
    [block] = code_blocks_of_guide("verify-id-tokens.md", "swift")
    file = tmp_path / "Verify.swift"
    file.write_text(block)
    run_program("swiftc", "-frontend", "-parse", file)


def test_the_project_file_of_the_ios_guide_can_be_applied(new_installation, apple_key, tmp_path):
    installation = new_installation()
    [text] = code_blocks_of_guide("ios.md", "json")
    file = json.loads(text)
    (tmp_path / file["providers"]["apple.com"]["privateKeyFile"]).write_text(apple_key)
    (tmp_path / "project.json").write_text(text)
    installation.run_ok(f"projects apply {tmp_path / 'project.json'} --create")
    assert installation.run_ok("keys create-api-key --project my-app --app ios").startswith("pk_")


@pytest.fixture(scope="module")
def token(serve, contract):
    return Client(serve, contract).sign_up()["idToken"]


@pytest.fixture
def guide_code(serve):
    """A function that returns the guide's only code block in a language, adapted to the gateway of the tests."""
    def text(language):
        [block] = code_blocks_of_guide("verify-id-tokens.md", language)
        assert ISSUER in block and '"my-app"' in block
        return block.replace(ISSUER, f"{serve.url}/{serve.project}").replace('"my-app"', f'"{serve.project}"')

    return text


def invalid_tokens(token):
    """Tokens that must be rejected: with another payload, with the algorithm `none`, without the signature."""
    header, payload, signature = token.split(".")
    claims = unverified_claims(token)
    other_payload = jwt.encode(claims | {"sub": "another"}, "secret" * 8, algorithm="HS256").split(".")[1]
    unsigned = jwt.encode(claims, None, algorithm="none")
    return [f"{header}.{other_payload}.{signature}", unsigned, f"{header}.{payload}."]


def test_the_python_code_accepts_an_id_token_and_rejects_invalid_ones(guide_code, token):
    namespace = {}
    exec(guide_code("python"), namespace)
    assert namespace["verify"](token)["sub"] == subject(token)
    for invalid in invalid_tokens(token):
        with pytest.raises(jwt.PyJWTError):
            namespace["verify"](invalid)


def subject(token):
    return unverified_claims(token)["sub"]


def test_the_node_code_accepts_an_id_token_and_rejects_invalid_ones(guide_code, token, tmp_path):
    (tmp_path / "verify.mjs").write_text(guide_code("javascript"))
    (tmp_path / "node_modules").symlink_to("/usr/share/nodejs")
    (tmp_path / "main.mjs").write_text(
        'import { verify } from "./verify.mjs";\n'
        'verify(process.argv[2]).then((claims) => console.log(claims.sub), () => console.log("rejected"));\n')
    assert run_program("node", tmp_path / "main.mjs", token).strip() == subject(token)
    for invalid in invalid_tokens(token):
        assert run_program("node", tmp_path / "main.mjs", invalid).strip() == "rejected"


def test_the_go_code_accepts_an_id_token_and_rejects_invalid_ones(guide_code, token, tmp_path):
    (tmp_path / "main.go").write_text(GO_MAIN + guide_code("go"))
    program = tmp_path / "verify"
    run_program(
        "go", "build", "-o", program, tmp_path / "main.go", folder=tmp_path, GOPATH="/usr/share/gocode",
        GO111MODULE="off", GOCACHE=str(tmp_path / "cache"), PATH="/usr/bin:/bin", HOME=str(tmp_path))
    assert run_program(program, token).strip() == subject(token)
    for invalid in invalid_tokens(token):
        assert run_program(program, invalid).strip() == "rejected"
