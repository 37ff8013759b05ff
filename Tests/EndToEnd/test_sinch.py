"""Sinch end to end: tokens in each signer's form, registration over HTTP and the socket, the legacy start sequences."""

import base64
import time

import pytest

import sinch
from clients import control
from gateway import Gateway
from sinch import DAY, KEY, SECRET, SinchClient, api, signed, ticket, token
from spaces import Space

INSTANCES = f"/sinch/v1/applications/{KEY}/users/alice/instances"
OTHER = "AAECAwQFBgcICQoLDA0ODw=="


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sinch")
    for name, text in {"one": SECRET, "two": OTHER, "password": "correct horse"}.items():
        (folder / name).write_text(text + "\n")
    return folder


@pytest.fixture(scope="module")
def strict(files):
    with Gateway("--sinch-application", f"{KEY}={files}/one", "--sinch-user", f"carol={files}/password") as gateway:
        yield gateway


@pytest.fixture(scope="module")
def lenient(files):
    """For the unmodified Android and JavaScript samples: both secrets are valid."""
    flags = ["--sinch-application", f"{KEY}={files}/one", "--sinch-application", f"{KEY}={files}/two"]
    flags += ["--sinch-kid-tolerance", "1", "--sinch-nonce-replay", "same-device"]
    with Gateway(*flags) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture
def frozen(host):
    """A space whose registrations last one second of its own time."""
    settings = {
        "sinch-application": {"name": KEY, "content": SECRET}, "sinch-instance-life-min": "1s", "any-refresh-timeout": True,
        "refresh-timeout": "1s", "login-timeout": "2s",
    }
    with Space(host, frozen=True, settings=settings) as space:
        yield space


def register(gateway, jwt, device="d1", user="alice", **more):
    path = f"/sinch/v1/applications/{KEY}/users/{user}/instances"
    return api(gateway, "POST", path, {"deviceId": device, "sdk": {"platform": "ios"}, "jwt": jwt, **more})


def refusal(answer):
    return answer.status, answer.json["errorCode"], answer.json["reason"]


@pytest.mark.parametrize("make", [token, sinch.ios_token, sinch.android_token, sinch.javascript_token])
def test_every_signers_token_registers_an_instance(strict, make):
    answer = register(strict, make())
    assert answer.status == 201 and answer.json["expiresAt"] is None
    assert len(base64.b64decode(answer.json["secret"])) == 32


def test_an_android_device_in_another_time_zone_needs_the_tolerance(strict, lenient):
    for hours in (-24, 24):
        jwt = sinch.android_token(hours=hours)
        assert refusal(register(strict, jwt)) == (401, 40107, "kid_date_mismatch")
        assert register(lenient, jwt).status == 201
    assert refusal(register(lenient, sinch.arabic_token())) == (401, 40107, "kid_invalid")


def test_a_nonce_is_spent_once_and_the_javascript_sample_needs_same_device(strict, lenient):
    jwt = sinch.javascript_token()
    assert register(strict, jwt).status == 201
    assert refusal(register(strict, jwt)) == (401, 40107, "nonce_reused")
    assert [register(lenient, jwt, device).status for device in ("d1", "d1", "d2")] == [201, 201, 401]


def test_both_secrets_count_while_one_is_being_replaced(strict, lenient):
    other = token(secret=OTHER)
    assert register(lenient, other).status == 201
    assert refusal(register(strict, token(secret=OTHER))) == (401, 40102, "bad_signature")


def test_refusals_have_the_documented_status_and_code(strict):
    for jwt, expected in [
        ("a.b", (400, 40001, "malformed")),
        (token(life=59), (400, 40001, "ttl_too_short")),
        (token(instance_life=2 * DAY - 1), (400, 40001, "instance_ttl_too_short")),
        (token(issued=int(time.time()) - 700), (401, 40107, "expired")),
        (token(issued=int(time.time()) + 70), (401, 40107, "not_yet_valid")),
        (token(key="other"), (401, 40107, "unknown_application")),
        (token("bob"), (403, 40300, "user_mismatch")),
    ]:
        assert refusal(register(strict, jwt)) == expected
    # A refused request has used no nonce and created no instance.
    assert register(strict, token(nonce="n")).status == 201


def test_a_limited_device_stays_limited_and_extends_the_same_instance(strict):
    first = register(strict, token(instance_life=3 * DAY), "limited")
    assert first.status == 201 and first.json["expiresAt"] > time.time() + 2 * DAY
    assert refusal(register(strict, token(), "limited")) == (400, 40001, "instance_exp_required")
    second = register(strict, token(instance_life=9 * DAY), "limited", instanceId=first.json["id"])
    assert second.status == 200 and second.json["id"] == first.json["id"] and "secret" not in second.json
    assert second.json["expiresAt"] > first.json["expiresAt"]


def test_a_client_starts_registers_and_starts_again_with_its_instance(strict):
    with SinchClient(strict) as client:
        instance = client.registered()
        client.send("ping")
        client.receive("pong")
        client.send("joinCall", callId="default:a")
        client.receive("callJoined")
        with SinchClient(strict) as other:
            other.registered("bob", "d2")
            other.send("joinCall", callId="default:a")
            assert client.receive("callMemberJoined")["userId"] == "bob"
            other.send("leaveCall", callId="default:a")
            assert client.receive("callMemberLeft")["userId"] == "bob"
            while other.receive()["type"] != "callLeft":
                pass
    with SinchClient(strict) as client:
        client.start_with(instance)
        client.receive("clientStarted")
        client.send("unregisterPushToken")
        client.receive("pushTokenUnregistered")
        client.send("terminateGracefully")
        assert client.until_closed() == 1000
    with SinchClient(strict) as client:
        client.start_with(instance)
        assert client.receive("credentialsRequired")["reason"] == "unknown_instance"
        client.send("registerFailed", message="no")
        assert client.receive("clientFailed")["error"]["errorCode"] == 40104
        assert client.until_closed() == 4500


def test_a_start_may_bring_its_token_along(strict):
    with SinchClient(strict) as client:
        client.start(jwt=token())
        client.receive("userRegistered")
        assert client.receive("clientStarted")["userId"] == "alice"


def test_operations_before_the_login_get_800101(strict):
    with SinchClient(strict) as client:
        client.send("terminateGracefully")
        assert client.receive("error")["error"]["errorCode"] == 800101


def test_a_registration_that_ends_asks_and_the_time_out_disconnects(frozen):
    with SinchClient(frozen) as client, SinchClient(frozen) as lazy:
        first = client.registered("eve", jwt=token("eve", instance_life=2))
        lazy.registered("mal", jwt=token("mal", instance_life=3))
        frozen.advance(3, patience_ms=0, stop_at="refresh_required")
        assert client.receive("credentialsRequired")["reason"] == "expired"
        client.send("register", jwt="x.y.z")
        assert client.receive("userRegistrationFailed")["error"]["reason"] == "malformed"
        client.send("register", jwt=token("eve", instance_life=900))
        assert client.receive("userRegistered")["instance"]["id"] != first["id"]
        frozen.advance(4, patience_ms=0, stop_at="refresh_required")
        assert lazy.receive("credentialsRequired")["timeoutMs"] == 1000
        frozen.advance(1, patience_ms=0)
        assert lazy.until_closed() == 4000
        client.send("ping")
        client.receive("pong")


def test_a_client_that_does_not_register_is_disconnected(frozen):
    with SinchClient(frozen) as client:
        client.start()
        client.receive("credentialsRequired")
        frozen.advance(1.9, patience_ms=0)
        client.send("ping")
        client.receive("pong")
        frozen.advance(0.1, patience_ms=0)
        assert client.until_closed() == 4001


def test_an_operators_orders_reach_the_client(strict):
    with SinchClient(strict) as client:
        client.registered("orders")
        assert control(strict, "POST", "/users/orders/refresh").status == 200
        assert client.receive("credentialsRequired")["reason"] == "extend"
        client.send("register", jwt=token("orders"))
        assert "secret" not in client.receive("userRegistered")["instance"]


def test_a_draining_gateway_tells_its_clients(files):
    with Gateway("--sinch-application", f"{KEY}={files}/one", "--drain-window", "200ms") as gateway:
        with SinchClient(gateway) as client:
            client.registered()
            control(gateway, "POST", "/drain")
            assert client.receive("closing")["reason"] == "service_restart"
            assert client.until_closed() == 1012


def test_legacy_signatures_register_over_both_ways_and_rise(strict):
    def mobile(sequence):
        body = {
            "ApplicationKey": KEY,
            "Capabilities": ["p2p", "push"],
            "DeviceId": "m1",
            "DeviceType": 2,
            "SdkVersion": "3.17.6",
            "Seed": str(sequence),
            "Signature": sinch.mobile_signature("mike", sequence),
            "UserId": "mike",
        }
        return api(strict, "POST", "/V2/Instance", body)

    answer = mobile(7)
    assert answer.status == 200 and set(answer.json) == {"id", "secret", "expiresIn"}
    again = mobile(7)
    assert refusal(again) == (401, 40107, "sequence_not_increasing") and again.json["Message"]
    with SinchClient(strict) as client:
        client.registered("mike", signature=sinch.mobile_signature("mike", 8), sequence=8)
    # As an unsigned 64-bit number; half of them do not fit into a signed one.
    for sequence in (2**63, 2**64 - 2):
        with SinchClient(strict) as client:
            client.registered("mike", signature=sinch.mobile_signature("mike", sequence), sequence=sequence)
    last = {"deviceId": "m1", "signature": sinch.mobile_signature("mike", 2**64 - 1), "sequence": 2**64 - 1}
    path = f"/sinch/v1/applications/{KEY}/users/mike/instances"
    assert api(strict, "POST", path, last).status == 201


def test_the_legacy_web_start_sequence(strict):
    before = sinch.now()[:13]
    stamp = api(strict, "GET", "/timestamp/", authorization=f"application {KEY}")
    assert stamp.json["timestamp"][:13] in (before, sinch.now()[:13])
    body = {"version": {"os": "x", "platform": "js", "sdk": "1.4"}, "services": {"calling": []}, "expiresIn": 31_536_000}
    made = api(strict, "POST", "/instance", body, f"user {ticket('webby')}", sinch.now()).json
    assert made["expiresIn"] == 31_536_000
    for scheme in ("instance", "Instance"):
        answer = signed(strict, "GET", "/configuration/user", scheme, made["id"], made["secret"])
        assert set(answer.json) == {"rtcConfiguration", "rtcProfile"}
        network, channel = answer.json["rtcConfiguration"]["signalNetwork"], answer.json["rtcProfile"]["signalChannel"]
    assert network["host"] == strict.http_url.removeprefix("http://")
    (time,) = api(strict, "GET", "/time/0").json
    assert api(strict, "GET", f"/subscribe/{network['subscribeKey']}/{channel}/0/0").json[0] == []
    assert int(api(strict, "GET", f"/subscribe/{network['subscribeKey']}/{channel}/0/0").json[1]) >= time
    assert api(strict, "GET", f"/v2/presence/sub_key/{network['subscribeKey']}/channel/{channel}/leave").status == 200
    assert api(strict, "GET", f"/subscribe/sub-nobody/{channel}/0/0").status == 401
    assert api(strict, "GET", f"/subscribe/{network['subscribeKey']}/{channel}/0/x").status == 400
    profile = signed(strict, "GET", "/user/profile", "instance", made["id"], made["secret"]).json
    assert profile["identities"] == [{"type": "username", "endpoint": "webby"}]
    push = f"/ocra/v1/users/webby/instances/{made['id']}/pushProfile"
    assert signed(strict, "PUT", push, "instance", made["id"], made["secret"], {"token": "x"}).json == {}
    foreign = signed(strict, "PUT", push.replace("webby", "alice"), "instance", made["id"], made["secret"], {})
    assert foreign.status == 403 and api(strict, "PUT", push, {}).status == 401
    assert signed(strict, "PUT", push, "instance", made["id"], made["secret"], []).status == 400
    path = f"/instances/id/{made['id']}/authorization"
    renewed = api(strict, "PUT", path, {**body, "instanceId": made["id"]}, f"user {ticket('webby')}", sinch.now())
    assert renewed.json["id"] == made["id"] and renewed.json["secret"] == made["secret"]
    gone = api(strict, "PUT", path.replace(made["id"], "none"), body, f"user {ticket('webby')}", sinch.now())
    assert refusal(gone) == (404, 40400, "unknown_instance")
    for offset, expected in [(-301, "timestamp_out_of_range"), (330, "timestamp_out_of_range"), (290, None)]:
        answer = signed(strict, "GET", "/user/profile", "instance", made["id"], made["secret"], offset=offset)
        assert answer.json.get("reason") == expected
    wrong = signed(strict, "GET", "/user/profile", "instance", made["id"], OTHER)
    assert refusal(wrong) == (401, 40102, "bad_signature")
    assert refusal(api(strict, "GET", "/user/profile")) == (401, 40100, "authorization_missing")
    assert refusal(api(strict, "POST", "/instance", body, f"user {ticket()}")) == (401, 40101, "timestamp_missing")


def test_a_password_gives_a_ticket_and_three_wrong_ones_lock_the_account(strict):
    path = "/users/username/carol/authentication"
    application = f"application {KEY}"
    answer = api(strict, "POST", path, {"password": "correct horse"}, application).json
    assert answer["user"]["identities"][0]["endpoint"] == "carol"
    made = api(strict, "POST", "/instance", {"expiresIn": 60}, f"user {answer['authorization']}", sinch.now())
    assert made.status == 200 and made.json["expiresIn"] == 60
    for _ in range(3):
        assert refusal(api(strict, "POST", path, {"password": "x"}, application)) == (401, 40107, "wrong_password")
    locked = api(strict, "POST", path, {"password": "correct horse"}, application)
    assert refusal(locked) == (429, 42900, "account_locked")


def test_a_server_asks_by_signature_or_basic_and_an_instance_by_its_own(strict):
    made = register(strict, token("dora"), user="dora").json
    path = f"/sinch/v1/applications/{KEY}/users/dora/instances"
    basic = "Basic " + base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
    older = "Basic " + base64.b64encode(f"application\\{KEY}:{SECRET}".encode()).decode()
    for answer in (
        api(strict, "GET", path, authorization=basic),
        api(strict, "GET", path, authorization=older),
        signed(strict, "GET", path, "Application", KEY, SECRET),
        signed(strict, "GET", path + "?limit=5&x=a%20b", "application", KEY, SECRET),
    ):
        assert [entry["id"] for entry in answer.json["instances"]] == [made["id"]]
    assert refusal(api(strict, "GET", path, authorization=f"application {KEY}")) == (
        403, 40303, "authorization_insufficient",
    )
    own = f"{path}/{made['id']}"
    assert signed(strict, "GET", own, "instance", made["id"], made["secret"]).json["deviceId"] == "d1"
    assert api(strict, "DELETE", own, authorization=basic).status == 204
    assert refusal(signed(strict, "GET", own, "instance", made["id"], made["secret"])) == (401, 1104, "unknown_instance")


def test_browsers_may_ask_from_elsewhere(strict):
    headers = {
        "Origin": "https://example.test",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, x-timestamp, content-type",
    }
    answer = sinch.request(strict.http_url, "OPTIONS", "/instance", headers=headers, document=None)
    assert answer.status == 204 and "x-timestamp" in answer.headers["access-control-allow-headers"]


def test_guests_and_the_token_provider(gateway):
    """If no application is named, the gateway's own secret serves all."""
    guest = api(gateway, "POST", "/sinch/v1/applications/anything/guests").json
    with SinchClient(gateway) as client:
        client.start(guest["userId"], "anything", jwt=guest["jwt"])
        client.receive("userRegistered")
        client.receive("clientStarted")
    minted = sinch.request(gateway.http_url, "POST", "/v1/tokens", {"user_id": "ann", "scheme": "sinch"}, document=None)
    with SinchClient(gateway) as client:
        client.start("ann", "postern", jwt=minted.json["token"])
        client.receive("userRegistered")


def test_a_signer_of_ones_own_is_still_held_to_the_documented_least(strict):
    for jwt, reason in [(token(life=59), "ttl_too_short"), (token(instance_life=3600), "instance_ttl_too_short")]:
        assert register(strict, jwt).json["reason"] == reason


def test_who_was_revoked_gets_a_new_instance_with_its_secret(strict):
    with SinchClient(strict) as client:
        old = client.registered("rita")
        time.sleep(1.1)
        assert control(strict, "POST", "/revocations", {"user_id": "rita"}).status == 200
        assert client.receive("credentialsRequired")["reason"] == "unknown_instance"
        time.sleep(1.1)
        client.send("register", jwt=token("rita"))
        new = client.receive("userRegistered")["instance"]
        assert new["id"] != old["id"] and len(base64.b64decode(new["secret"])) == 32
        client.send("ping")
        client.receive("pong")
    with SinchClient(strict) as client:
        client.start_with(new, "rita")
        client.receive("clientStarted")


def test_production_errors_name_no_check(files):
    with Gateway("--sinch-application", f"{KEY}={files}/one", "--sinch-errors", "production") as gateway:
        answer = register(gateway, token(secret=OTHER))
        assert answer.json == {"errorCode": 40102, "message": "Invalid signature"} and answer.status == 401


def test_without_legacy_its_paths_are_not_there(files):
    with Gateway("--sinch-application", f"{KEY}={files}/one", "--sinch-legacy", "off") as gateway:
        answer = sinch.request(gateway.http_url, "GET", "/timestamp/", document=None)
        assert answer.status == 404
        assert refusal(register(gateway, token(key="x")))[2] == "unknown_application"
