"""The code in Deploy/guides/backend.md, and calls with a service key in two other guides, manage accounts as printed.

The guides' gateway, https://auth.example.com, is a TLS server of the tests in front of that of the fixture. Only its
address and the project are replaced.
"""

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import threading

import pytest
import requests

import gateway
from admin_sdk import create_service_key
from certificates import create_certificate
from client import PASSWORD, Client, fresh_email, ok_body, unverified_claims
from documents import GUIDES, code_block, replaced
from firebase_node import SDK_FOLDER, requires_node_sdk
from processes import run_program

pytestmark = pytest.mark.slow

BACKEND = GUIDES / "backend.md"
GUIDE_HOST, GUIDE_PROJECT = "auth.example.com", "my-app"
GO_IMPORTS = '"bytes"\n"context"\n"encoding/json"\n"fmt"\n"io"\n"net/http"\n"os"\n'
GO_MAIN = """
func main() {
	var created struct{ LocalID string `json:"localId"` }
	fmt.Println(call(context.Background(), "", map[string]any{"email": os.Args[1]}, &created))
	fmt.Println(created.LocalID)
	fmt.Println(call(context.Background(), ":update", map[string]any{"localId": "unknown"}, &created))
}
"""
GO_TRANSPORT_MAIN = """
func main() {
	client := &http.Client{Transport: gatewayTransport{serviceKey: os.Getenv("SERVICE_KEY")}}
	response, err := client.Get("https://identitytoolkit.googleapis.com/v1/projects/" + os.Args[1] + "/accounts:batchGet")
	fmt.Println(response.StatusCode, err)
}
"""
# What an Admin SDK does in Node, and the errors that it must get.
NODE_MAIN = """
import { getAuth } from "firebase-admin/auth";
import { initializeGatewayApp } from "./gateway-app.mjs";

const [key, email] = [JSON.parse(process.env.KEY_FILE), process.env.EMAIL];
const auth = getAuth(initializeGatewayApp(key));
const output = {};
try {
  const { uid } = await auth.createUser({ email, password: "correct horse" });
  await auth.setCustomUserClaims(uid, { role: "editor" });
  output.claims = (await auth.getUserByEmail(email)).customClaims;
  output.listed = (await auth.listUsers(1000)).users.some(user => user.uid === uid);
  output.customToken = await auth.createCustomToken(`${uid}-2`);
  output.link = await auth.generatePasswordResetLink(email);
  await auth.revokeRefreshTokens(uid);
  output.verification = await auth.verifyIdToken(process.env.ID_TOKEN).catch(error => error.code);
  output.unknown = await auth.getUser("unknown").catch(error => error.code);
  await auth.deleteUser(uid);
  output.deleted = await auth.getUser(uid).catch(error => error.code);
} catch (error) {
  output.error = `${error.code} ${error.message}`;
}
console.log(JSON.stringify(output));
process.exit();
"""


class TLSServer:
    """A TLS server that forwards each connection to the gateway, and counts the connections."""

    def __init__(self, gateway_url, certificate):
        self.target = ("127.0.0.1", int(gateway_url.rsplit(":", 1)[1]))
        self.context = certificate.server_context()
        self.certificate = certificate
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections = 0

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.forward, args=(client,), daemon=True).start()

    def forward(self, client):
        try:
            with (self.context.wrap_socket(client, server_side=True) as encrypted,
                  socket.create_connection(self.target) as plain):
                answering = threading.Thread(target=copy, args=(plain, encrypted), daemon=True)
                answering.start()
                copy(encrypted, plain)
                answering.join(30)
        except OSError:
            pass


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.fixture(scope="module")
def tls(rs256_serve, tmp_path_factory):
    """A TLS server for the gateway, with a certificate for the guide's host."""
    server = TLSServer(rs256_serve.url, create_certificate(tmp_path_factory.mktemp("tls"), GUIDE_HOST))
    thread = threading.Thread(target=server.run)
    thread.start()
    yield server
    server.listener.shutdown(socket.SHUT_RDWR)
    server.listener.close()
    thread.join()


@pytest.fixture(scope="module")
def service_key(rs256_installation):
    return create_service_key(rs256_installation)


@pytest.fixture
def environment(tls, service_key):
    """The environment of the guide's programs, which trust the certificate of the TLS server."""
    file = str(tls.certificate.file)
    return os.environ | {
        "SERVICE_KEY": service_key["secret"], "SSL_CERT_FILE": file, "CURL_CA_BUNDLE": file,
        "REQUESTS_CA_BUNDLE": file, "NODE_EXTRA_CA_CERTS": file}


def code(tls, heading, guide=BACKEND):
    """A block of a guide with the address of the tests' gateway and its project."""
    text = replaced(code_block(guide, heading), f"https://{GUIDE_HOST}/", f"https://localhost:{tls.port}/")
    return replaced(text, f"projects/{GUIDE_PROJECT}/", f"projects/{gateway.DEMO_PROJECT}/")


def accounts(rs256_serve, service_key, email):
    """The accounts with an address."""
    response = requests.post(
        f"{rs256_serve.url}/v1/projects/{gateway.DEMO_PROJECT}/accounts:lookup", json={"email": [email]},
        headers={"Authorization": f"Bearer {service_key['secret']}"}, timeout=30)
    return response.json().get("users", [])


def test_the_command_creates_a_key_for_the_examples(new_installation, tmp_path):
    installation = new_installation().with_project(GUIDE_PROJECT)
    (tmp_path / "sekisho").symlink_to(os.path.realpath(gateway.binary()))
    environment = gateway.clean_environment(**installation.environment, PATH=f"{tmp_path}:{os.environ['PATH']}")
    subprocess.run(
        ["bash", "-euc", code_block(BACKEND, "Create a service key")], cwd=tmp_path, env=environment, timeout=60,
        check=True)
    key = json.loads((tmp_path / "service-key.json").read_text())
    assert key.keys() >= {"id", "secret", "privateKey"}
    assert "users.read" in installation.run_ok(f"keys list-service-keys --project {GUIDE_PROJECT}")


def test_the_operations_of_the_table_have_the_described_effects(rs256_serve, service_key):
    rows = re.findall(r"^\| (`:\w+`|\(none\)) \| (`.*?`)(?: or `.*?`)? \|", BACKEND.read_text(), re.MULTILINE)
    assert len(rows) == 7
    email = fresh_email()
    url = f"{rs256_serve.url}/v1/projects/{gateway.DEMO_PROJECT}/accounts"
    values = {"email": f'"{email}"', "password": '"correct horse"'}
    for name, body in rows:
        if name == "`:lookup`":
            body = '{"localId": [' + values["localId"] + "]}"
        else:
            body = re.sub(r'"(\w+)": …', lambda match: f'"{match[1]}": {values[match[1]]}', body.strip("`"))
        response = requests.post(
            url + name.strip("`").replace("(none)", ""), data=body, timeout=30,
            headers={"Authorization": f"Bearer {service_key['secret']}", "Content-Type": "application/json"})
        assert response.status_code == 200, (name, body, response.text)
        values.setdefault("localId", json.dumps(response.json().get("localId")))
    assert accounts(rs256_serve, service_key, email) == []


def test_the_curl_commands_create_change_and_delete_an_account(tls, environment, tmp_path):
    output = subprocess.run(
        ["bash", "-euc", code(tls, "curl")], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert (output.returncode, output.stderr) == (0, "")
    [user] = json.loads(output.stdout)["users"]
    assert (user["email"], user["disabled"]) == ("ada@example.com", True)
    assert json.loads(user["customAttributes"]) == {"role": "editor"}
    assert user["localId"] == json.loads((tmp_path / "created.json").read_text())["localId"]


def test_curl_looks_up_an_account_as_the_guide_to_clients_says(tls, environment, rs256_serve, contract):
    Client(rs256_serve, contract).call("signUp", {"email": "grace@example.com", "password": PASSWORD})
    script = code(tls, "Send a service key", GUIDES / "generated-clients.md").replace("ada@", "grace@")
    [user] = json.loads(run_program("bash", "-euc", script, **environment))["users"]
    assert user["email"] == "grace@example.com"


def test_curl_looks_up_a_session_as_the_guide_to_verification_says(tls, environment, rs256_serve, contract):
    client = Client(rs256_serve, contract)
    session = client.sign_up()
    script = code(tls, "Session cookies", GUIDES / "verify-id-tokens.md")
    variables = environment | {"SID": unverified_claims(session["idToken"])["sid"]}
    assert json.loads(run_program("bash", "-euc", script, **variables))["active"] is True
    ok_body(client.call("deleteOwnAccount", {"idToken": session["idToken"]}))
    assert json.loads(run_program("bash", "-euc", script, **variables))["active"] is False


def test_the_python_code_manages_accounts(tls, environment, rs256_serve, service_key, monkeypatch):
    for name in ("SERVICE_KEY", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, environment[name])
    namespace, email = {}, fresh_email()
    exec(code(tls, "Python"), namespace)
    local_id = namespace["call"]("", email=email)["localId"]
    namespace["call"](":update", localId=local_id, disableUser=True)
    assert [user["disabled"] for user in accounts(rs256_serve, service_key, email)] == [True]
    with pytest.raises(RuntimeError, match="400 .*USER_NOT_FOUND"):
        namespace["call"](":update", localId="unknown", disableUser=True)


def test_the_node_code_manages_accounts(tls, environment, rs256_serve, service_key, tmp_path):
    (tmp_path / "call.mjs").write_text(code(tls, "Node"))
    (tmp_path / "main.mjs").write_text(
        'import { call } from "./call.mjs";\n'
        'const { localId } = await call("", { email: process.argv[2] });\n'
        'await call(":update", { localId, disableUser: true });\n'
        'await call(":update", { localId: "unknown" }).catch(error => console.log(error.message));\n')
    email = fresh_email()
    assert "400 " in run_program("node", tmp_path / "main.mjs", email, **environment)
    assert [user["disabled"] for user in accounts(rs256_serve, service_key, email)] == [True]


def built_go_program(folder, code, imports):
    folder.mkdir()
    (folder / "main.go").write_text(f"package main\n\nimport (\n{imports})\n\n{code}")
    run_program(
        "go", "build", "-o", folder / "program", folder / "main.go", folder=folder, GO111MODULE="off",
        GOCACHE=str(folder / "cache"), PATH="/usr/bin:/bin", HOME=str(folder))
    return folder / "program"


def test_the_go_code_manages_accounts(tls, environment, rs256_serve, service_key, tmp_path):
    program = built_go_program(tmp_path / "go", code(tls, "Go") + GO_MAIN, GO_IMPORTS)
    email = fresh_email()
    created, local_id, failed = run_program(program, email, **environment).splitlines()
    assert created == "<nil>" and failed.startswith("400 Bad Request: {")
    assert [user["localId"] for user in accounts(rs256_serve, service_key, email)] == [local_id]


def test_the_go_transport_sends_requests_for_google_to_the_gateway(tls, environment, tmp_path):
    transport = replaced(code_block(BACKEND, "Go (Admin SDK)"), f'"{GUIDE_HOST}"', f'"localhost:{tls.port}"')
    program = built_go_program(tmp_path / "go", transport + GO_TRANSPORT_MAIN, '"fmt"\n"net/http"\n"os"\n')
    before = tls.connections
    assert run_program(program, gateway.DEMO_PROJECT, **environment).strip() == "200 <nil>"
    assert tls.connections == before + 1


def add_node_package(folder):
    """Adds the package firebase-admin to a folder. Its files re-export the SDK."""
    package = folder / "node_modules/firebase-admin"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"exports": {"./app": "./app.cjs", "./auth": "./auth.cjs"}}')
    for name, functions in (("app", ["cert", "initializeApp"]), ("auth", ["getAuth"])):
        # Names that Node finds in the source, so that a module can import them.
        exports = "".join(f"exports.{function} = sdk.{function};\n" for function in functions)
        source = json.dumps(str(SDK_FOLDER / "firebase-admin.cjs"))
        (package / f"{name}.cjs").write_text(f"const sdk = require({source}).{name};\n{exports}")


@requires_node_sdk("firebase-admin.cjs")
def test_the_admin_sdk_for_node_manages_accounts_through_the_printed_agent(
        tls, environment, rs256_serve, contract, service_key, tmp_path):
    recipe = replaced(
        code_block(BACKEND, "Node (Admin SDK)"), f'host: "{GUIDE_HOST}", port: 443',
        f'host: "localhost", port: {tls.port}')
    recipe = replaced(recipe, f'"{GUIDE_PROJECT}"', f'"{gateway.DEMO_PROJECT}"')
    client = Client(rs256_serve, contract)
    add_node_package(tmp_path)
    (tmp_path / "gateway-app.mjs").write_text(recipe)
    (tmp_path / "main.mjs").write_text(NODE_MAIN)
    before = tls.connections
    variables = environment | {
        "KEY_FILE": json.dumps(service_key), "EMAIL": fresh_email(), "ID_TOKEN": client.sign_up()["idToken"]}
    output = json.loads(run_program("node", tmp_path / "main.mjs", **variables))
    assert "error" not in output, output["error"]
    signed_in = ok_body(client.call("signInWithCustomToken", {"token": output["customToken"]}))
    assert (output["claims"], output["listed"]) == ({"role": "editor"}, True)
    assert unverified_claims(signed_in["idToken"])["sub"] == unverified_claims(output["customToken"])["uid"]
    assert output["link"].startswith(f"{rs256_serve.url}/__/auth/action?mode=resetPassword&")
    assert (output["unknown"], output["deleted"]) == ("auth/user-not-found", "auth/user-not-found")
    # The SDK accepts only tokens of Google's issuer.
    assert output["verification"] == "auth/argument-error"
    assert tls.connections > before


def test_the_admin_sdk_for_python_creates_a_custom_token(rs256_serve, contract, service_key, tmp_path):
    (tmp_path / "service-key.json").write_text(json.dumps(service_key))
    script = code_block(BACKEND, "Python (Admin SDK)") + '\nprint(custom_token("new-user"))\n'
    token = run_program(sys.executable, "-c", script, folder=tmp_path).strip()
    signed_in = ok_body(Client(rs256_serve, contract).call("signInWithCustomToken", {"token": token}))
    assert unverified_claims(signed_in["idToken"])["sub"] == "new-user"


@pytest.fixture(params=["dev", "serve"])
def tool(request):
    """A gateway, and a function that sends a request of firebase-tools with a bearer token."""
    running = request.getfixturevalue("dev" if request.param == "dev" else "rs256_serve")

    def send(name, body, token):
        # The headers are those of the tool's HTTP client.
        return requests.post(
            f"{running.url}/identitytoolkit/v3/relyingparty/{name}", json={"targetProjectId": running.project} | body,
            timeout=30, headers={"Authorization": f"Bearer {token}", "X-Client-Version": "FirebaseCLI/14.0.0"})

    return request.param, send


def test_requests_of_firebase_tools_export_and_import_users(tool, service_key):
    name, send = tool
    google_token = "ya29.a0AfH6SMB"
    token = google_token if name == "dev" else service_key["secret"]
    user = {"localId": secrets.token_hex(8), "email": fresh_email(), "emailVerified": True}
    imported = send("uploadAccount", {"users": [user]}, token)
    assert imported.status_code == 200 and not imported.json().get("error"), imported.text
    exported, page = [], {}
    while True:
        response = send("downloadAccount", {"maxResults": 1000} | page, token).json()
        exported += response.get("users", [])
        if "nextPageToken" not in response:
            break
        page = {"nextPageToken": response["nextPageToken"]}
    assert [found["email"] for found in exported if found["localId"] == user["localId"]] == [user["email"]]
    if name == "serve":
        assert send("downloadAccount", {"maxResults": 1000}, google_token).status_code == 401
