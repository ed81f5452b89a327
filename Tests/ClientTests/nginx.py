"""nginx with an example file of `Deploy`."""

from contextlib import contextmanager

from servers import server_running, unpacked

PROGRAM = unpacked("nginx", "usr/sbin/nginx")

MAIN_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    types {{ text/html html; text/javascript js; }}
    access_log off;
    client_body_temp_path {folder}/temp;
    proxy_temp_path {folder}/temp;
    fastcgi_temp_path {folder}/temp;
    scgi_temp_path {folder}/temp;
    uwsgi_temp_path {folder}/temp;
    include {folder}/site.conf;
}}
"""


@contextmanager
def nginx_running(folder, site, is_ready):
    """Runs nginx until the block ends.

    `site` is the text of its configuration, and `is_ready` tells whether it serves.
    """
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(MAIN_CONFIGURATION.format(folder=folder))
    command = [PROGRAM, "-p", folder, "-c", folder / "nginx.conf"]
    with server_running(command, folder / "log", is_ready):
        yield
