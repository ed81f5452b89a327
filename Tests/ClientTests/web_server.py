"""nginx with the configuration in Deploy/guides/nginx.conf, as the web server of an app.

nginx adds TLS, serves the app's files, and forwards the sign-in pages and the API to the gateway.
"""

import re
from contextlib import contextmanager

import requests

from client import ADMIN_HEADERS
from documents import GUIDES
from nginx import nginx_running
from servers import changed_text
from simulators import Simulators

EXAMPLE_CONFIGURATION = GUIDES / "nginx.conf"
HOST = "app.example.com"


def allow_domain(dev):
    """Makes a `sekisho dev`, and its simulators of Apple and Google, accept the app's domain."""
    url = f"{dev.url}/identitytoolkit.googleapis.com/v2/projects/demo/config?updateMask=authorizedDomains"
    change = {"authorizedDomains": ["localhost", "127.0.0.1", HOST]}
    requests.patch(url, json=change, headers=ADMIN_HEADERS, timeout=30).raise_for_status()
    callback = [f"https://{HOST}/__/auth/handler"]
    Simulators(dev).configure(apple={"redirectUris": callback}, google={"redirectUris": callback})


@contextmanager
def nginx(folder, pages, port, dev, certificate, *, policy_header=None):
    """Runs nginx with the example, in which only the port, the paths of files and the gateway's URL are changed.

    `pages` is the folder with the app's files. `policy_header` is a directive `add_header Content-Security-Policy`,
    which takes the place of that of the example.
    """
    changes = {
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;", f"/etc/ssl/{HOST}.pem": str(certificate.file),
        f"/etc/ssl/{HOST}.key": str(certificate.key_file), "/var/www/app": str(pages),
        "http://127.0.0.1:9099": dev.url}
    text = changed_text(EXAMPLE_CONFIGURATION, changes)
    if policy_header:
        text, count = re.subn(r"add_header Content-Security-Policy .*;\n", lambda _: policy_header, text)
        assert count == 1

    def answers():
        try:
            response = requests.get(f"https://127.0.0.1:{port}/", verify=certificate.file, timeout=30)
            return response.status_code == 200
        except requests.ConnectionError:
            return False

    with nginx_running(folder, text, answers):
        yield
