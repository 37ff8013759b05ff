"""Orders of the control port for the Streem platform. Streem's own clients are in Streem/."""

import base64
import json
import subprocess
import os

from clients import control


def test_companies_and_keys(gateway):
    made = control(gateway, "POST", "/streem/companies", {"code": "acme-1", "name": "Acme"})
    assert made.status == 201
    assert control(gateway, "POST", "/streem/companies", {"code": "acme-1", "active": True}).status == 200
    key = control(gateway, "POST", "/streem/api-keys", {"company_code": "acme-1"}).json
    secret = json.loads(base64.b64decode(key["secret"] + "=" * (-len(key["secret"]) % 4), validate=True))
    assert secret["kty"] == "EC" and "d" in secret and "kid" not in secret
    listed = control(gateway, "GET", "/streem/api-keys")
    assert key["id"] in [k["id"] for k in listed.json["api_keys"]] and secret["d"] not in listed.body.decode()
    assert control(gateway, "POST", f"/streem/api-keys/{key['id']}/revoke").json == {"sessions": 0}
    assert control(gateway, "POST", "/streem/api-keys/api_0/revoke").status == 404


def test_from_a_shell(gateway):
    def ctl(*words):
        command = [os.environ["POSTERN"], "ctl", *words, "--url", gateway.control_url]
        return subprocess.run(command, capture_output=True, text=True, timeout=30)

    assert json.loads(ctl("streem-company", "--company", "shell", "--company-name", "Shell").stdout)["company"]
    key = json.loads(ctl("streem-api-key", "--company", "shell", "--json").stdout)
    assert key["company_code"] == "shell"
    assert key["id"] in ctl("streem-api-keys").stdout
    assert ctl("streem-revoke-api-key", "--api-key", key["id"]).stdout == "0 sessions\n"
    assert ctl("streem-revoke-api-key").returncode == 2
