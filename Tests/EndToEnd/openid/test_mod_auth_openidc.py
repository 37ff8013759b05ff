"""Debian's mod_auth_openidc, a strict relying party: Apache protects a folder, and the gateway decides who may enter."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import requests
from gateway import Gateway
from provider import log_in
from ports import free_port

MODULES = "/usr/lib/apache2/modules"
CONFIGURATION = """
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
ServerRoot {folder}
PidFile {folder}/pid
ErrorLog {folder}/error.log
Mutex file:{folder} default
User www-data
Group www-data
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule headers_module {modules}/mod_headers.so
LoadModule alias_module {modules}/mod_alias.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
DocumentRoot {folder}/htdocs
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID apache
OIDCProviderTokenEndpointAuth none
OIDCPKCEMethod S256
OIDCScope "openid profile offline_access"
OIDCRedirectURI http://127.0.0.1:{port}/guarded/callback
OIDCCryptoPassphrase a-passphrase-of-the-tests
OIDCRemoteUserClaim sub
OIDCIDTokenSignedResponseAlg RS256
<Location /guarded>
  AuthType openid-connect
  Require valid-user
  Header always set X-User "expr=%{{REMOTE_USER}}"
  Header always set X-Company "expr=%{{req:OIDC_CLAIM_custom-streem_company_code}}"
</Location>
"""


@pytest.fixture
def gateway():
    client = ["--streem-oidc-client", "apache=http://127.0.0.1/guarded/callback"]
    with Gateway(*client, "--streem-oidc-logout", "apache=http://127.0.0.1/bye.txt") as gateway:
        yield gateway


@pytest.fixture
def folder():
    """Where Apache lives; its workers, another user's where root started it, must get in."""
    with tempfile.TemporaryDirectory(prefix="postern-apache-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture
def apache(gateway, folder):
    program = shutil.which("apache2") or shutil.which("apache2", path="/usr/sbin")
    assert program, "no apache2; Deploy/install-packages tests installs it"
    (folder / "htdocs" / "guarded").mkdir(parents=True)
    (folder / "htdocs" / "guarded" / "page.txt").write_text("for users")
    (folder / "htdocs" / "bye.txt").write_text("bye")
    port = free_port()
    configuration = folder / "apache.conf"
    configuration.write_text(
        CONFIGURATION.format(
            port=port, folder=folder, modules=MODULES, issuer=f"{gateway.http_url}/streem/oidc/postern"
        )
    )
    command = [program, "-f", str(configuration), "-D", "FOREGROUND"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"LANG": "C"})
    log = folder / "error.log"
    try:
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(requests.ConnectionError):
                requests.get(f"http://127.0.0.1:{port}/bye.txt", timeout=5)
                break
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        if log.exists():
            print(log.read_text())


def test_logs_in_and_out(apache):
    browser = requests.Session()
    asked = browser.get(f"{apache}/guarded/page.txt", allow_redirects=False, timeout=60)
    assert asked.status_code == 302, asked.text
    page = browser.get(log_in(asked.headers["Location"]), timeout=60)
    assert page.status_code == 200 and page.text == "for users"
    assert page.url == f"{apache}/guarded/page.txt"
    assert page.headers["X-User"].startswith("ann")
    assert page.headers["X-Company"] == "postern"

    ending = browser.get(
        f"{apache}/guarded/callback", params={"logout": f"{apache}/bye.txt"}, allow_redirects=False, timeout=60
    )
    assert "/streem/oidc/postern/logout?" in ending.headers["Location"]
    last = browser.get(ending.headers["Location"], timeout=60)
    assert last.url == f"{apache}/bye.txt" and last.text == "bye"
    assert browser.get(f"{apache}/guarded/page.txt", allow_redirects=False, timeout=60).status_code == 302


def test_refuses_an_answer_that_it_did_not_ask_for(apache):
    asked = requests.get(f"{apache}/guarded/page.txt", allow_redirects=False, timeout=60)
    stranger = requests.get(log_in(asked.headers["Location"]), allow_redirects=False, timeout=60)
    assert stranger.status_code == 400
