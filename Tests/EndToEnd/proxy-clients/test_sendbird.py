"""sendbird-platform-sdk over TLS, before a Postern gateway that stands for the vendor; the proxy shows a certificate of its own authority."""

import contextlib
import json
import os
import ssl
import subprocess
import uuid

import pytest
from gateway import SECRET, Gateway
from proxy_process import Proxy
from sendbird_platform_sdk import ApiClient, ApiException, Configuration
from sendbird_platform_sdk.api.bot_api import BotApi
from sendbird_platform_sdk.api.group_channel_api import GroupChannelApi
from sendbird_platform_sdk.api.user_api import UserApi
from sendbird_platform_sdk.models import (
    CreateABotRequest,
    CreateAGroupChannelRequest,
    CreateAUserRequest,
    JoinChannelsRequest,
    SendbirdUser,
)
from websockets.sync.client import connect

IMAGE = b"\x89PNG\r\n\x1a\n" + bytes(7_000_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def gateway(folder):
    files = folder / "vendor.pem", folder / "vendor-key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=vendor",
         "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    with Gateway("--tls-certificate", str(files[0]), "--tls-key", str(files[1])) as gateway:
        gateway.certificate = str(files[0])
        yield gateway


@pytest.fixture(scope="module")
def authority(folder):
    subprocess.run([os.environ["POSTERN"], "proxy", "ca", "--name", "localhost", "--out", folder / "ca"], check=True, capture_output=True)
    return folder / "ca"


@pytest.fixture
def proxy(gateway, authority, folder):
    flags = ["--upstream-ca", gateway.certificate, "--ca", str(authority), "--control-port", "0", "--dialect", "sendbird", "--journal-payloads"]
    with Proxy(f"wss://localhost:{gateway.port}", *flags, "--record", str(folder / "run.jsonl")) as proxy:
        proxy.authority = str(authority / "ca.pem")
        yield proxy


class Application:
    """An application's server and one user of it. `port` and `ca` lead to the vendor, or to a proxy."""

    def __init__(self, port, ca):
        self.port, self.ca = port, ca
        self.client = ApiClient(Configuration(host=f"https://localhost:{port}", ssl_ca_cert=ca))
        self.name = uuid.uuid4().hex

    def user(self):
        request = CreateAUserRequest(nickname="Ann", profile_url="", user_id=self.name, issue_access_token=True)
        return UserApi(self.client).create_a_user(api_token=SECRET, create_a_user_request=request)

    def channel(self, name):
        request = CreateAGroupChannelRequest([SendbirdUser(user_id=self.name)], user_ids=[self.name], name=name)
        return GroupChannelApi(self.client).create_a_group_channel(api_token=SECRET, create_a_group_channel_request=request).channel_url

    @contextlib.contextmanager
    def socket(self, token):
        query = f"ai=APP&p=JS&user_id={self.name}&expiring_session=1&access_token={token}"
        context = ssl.create_default_context(cafile=self.ca)
        with connect(f"wss://localhost:{self.port}/?{query}", ssl=context, open_timeout=60, proxy=None) as socket:
            yield socket


def heard(socket, name):
    """The next command with that name."""
    while True:
        message = socket.recv(timeout=60)
        if message.startswith(name):
            return json.loads(message[4:])


def session(port, ca, folder):
    """What the application and its user see: pages of a list, a session key, a large file, a refusal."""
    application = Application(port, ca)
    made = application.user()
    channels = [application.channel(f"number {number}") for number in range(5)]
    groups, pages, token = GroupChannelApi(application.client), [], None
    while token != "":
        more = {"token": token} if token else {}
        page = groups.list_channels(SECRET, limit=2, show_empty=True, members_exactly_in=application.name, order="chronological", **more)
        pages.append([channel.name for channel in page.channels])
        token = page.next
    bots, bot = BotApi(application.client), uuid.uuid4().hex
    request = CreateABotRequest(
        bot_userid=bot, bot_nickname="Bot", bot_profile_url="", bot_callback_url="http://127.0.0.1:1/", bot_type="bot", is_privacy_mode=False)
    bots.create_a_bot(api_token=SECRET, create_a_bot_request=request)
    bots.join_channels(bot, api_token=SECRET, join_channels_request=JoinChannelsRequest([channels[0]]))
    image = folder / "image.png"
    image.write_bytes(IMAGE)
    with application.socket(made.access_token) as socket:
        key = heard(socket, "LOGI")["key"]
        with image.open("rb") as file:
            bots.send_a_bot_message(bot, "FILE", channels[0], api_token=SECRET, file=file)
        size = heard(socket, "FILE")["size"]
    with pytest.raises(ApiException) as caught:
        UserApi(application.client).view_a_user(uuid.uuid4().hex, api_token=SECRET)
    refusal = json.loads(caught.value.body)
    return {"pages": pages, "size": size, "key": bool(key), "refused": (caught.value.status, refusal["code"])}, (made.access_token, key)


def test_the_vendors_client_sees_the_same_over_tls_with_the_proxys_authority(gateway, proxy, folder):
    direct, _ = session(gateway.port, gateway.certificate, folder)
    assert sorted(sum(direct["pages"], [])) == [f"number {number}" for number in range(5)] and len(direct["pages"]) >= 3
    assert direct["size"] == len(IMAGE) and direct["key"] and direct["refused"][0] == 400
    through, secrets = session(proxy.port, proxy.authority, folder)
    assert through == direct
    lines = proxy.lines(payloads=True)
    kinds = [line["kind"] for line in lines]
    assert kinds.count("logged_in") == 1 and kinds.count("http_answered") >= 12
    told = json.dumps(lines) + proxy.said() + (folder / "run.jsonl").read_text() + proxy.ctl("sessions")
    assert not [secret for secret in (SECRET, *secrets) if secret in told]


def test_the_proxys_authority_is_needed(proxy, gateway):
    with pytest.raises(Exception, match="CERTIFICATE_VERIFY_FAILED"):
        Application(proxy.port, gateway.certificate).user()


def test_a_request_larger_than_the_vendor_takes_is_refused_by_the_vendor_and_the_next_one_passes(gateway, proxy):
    refusals = []
    application = Application(proxy.port, proxy.authority)
    for asked in (Application(gateway.port, gateway.certificate), application):
        request = CreateAUserRequest(nickname="n" * (9 << 20), profile_url="", user_id="large")
        with pytest.raises(ApiException) as caught:
            UserApi(asked.client).create_a_user(api_token=SECRET, create_a_user_request=request)
        assert "Postern-Proxy" not in caught.value.headers
        refusals.append((caught.value.status, json.loads(caught.value.body)))
    assert refusals[0] == refusals[1] and 400 <= refusals[0][0] < 500
    application.user()
    assert application.channel("after")


def test_the_vendors_client_meets_faults_of_the_proxy(proxy):
    application = Application(proxy.port, proxy.authority)
    made = application.user()
    number = proxy.fail(fault="answer_with", route="POST /v3/group_channels", status=500)
    with pytest.raises(ApiException) as caught:
        application.channel("refused")
    assert caught.value.status == 500 and caught.value.headers["Postern-Proxy"] == "fault"
    assert proxy.ask("DELETE", f"/faults/{number}")[0] == 200
    number = proxy.fail(fault="answer_with", after="upstream", route="POST /v3/group_channels", status=503, times=1)
    with pytest.raises(ApiException):
        application.channel("made, and not told")
    listed = GroupChannelApi(application.client).list_channels(SECRET, show_empty=True, members_exactly_in=application.name)
    assert [channel.name for channel in listed.channels] == ["made, and not told"]
    with application.socket(made.access_token) as socket:
        heard(socket, "LOGI")
        assert "1 session" in proxy.ctl("expire", "--user", application.name)
        assert heard(socket, "EXPR") is not None
