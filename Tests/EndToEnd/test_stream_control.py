"""Orders of the control port about Stream's calls, and what their watchers receive."""

import json
import os
import subprocess

import pytest

import stream
from clients import control, request
from gateway import Gateway
from stream import mint


@pytest.fixture(scope="module")
def gateway():
    with Gateway("--stream-sfu", "off") as gateway:
        yield gateway


def rest(gateway, path, body, query=""):
    headers = {"stream-auth-type": "jwt", "Authorization": mint("ann")}
    target = f"/video/call/{path}?api_key={stream.KEY}{query}"
    return request(gateway.http_url, "POST", target, body, headers=headers, document=None)


def until(client, kind):
    while (event := client.hear())["type"] != kind:
        pass
    return event


def test_recordings_fail_and_frames_are_ready(gateway):
    with stream.javascript(gateway, mint("ann")) as ann:
        connection = ann.hear("connection.ok")["connection_id"]
        settings = {"settings_override": {"frame_recording": {"mode": "available"}}}
        assert rest(gateway, "default/fails", {"data": settings}, f"&connection_id={connection}").status == 201
        assert rest(gateway, "default/fails/start_recording", {}).status == 201
        failed = control(gateway, "POST", "/stream/calls/default/fails/fail", {"what": "recording"})
        assert failed.json == {"failed": "recording"}
        assert until(ann, "call.recording_failed")["recording_type"] == "composite"
        assert rest(gateway, "default/fails/start_frame_recording", {}).status == 201
        frame = control(gateway, "POST", "/stream/calls/default/fails/frame").json
        assert until(ann, "call.frame_recording_ready")["egress_id"] == frame["egress_id"]
        assert control(gateway, "POST", "/stream/calls/default/none/frame").status == 404


def test_from_a_shell(gateway):
    def ctl(*words):
        command = [os.environ["POSTERN"], "ctl", *words, "--url", gateway.control_url]
        return subprocess.run(command, capture_output=True, text=True, timeout=30)

    settings = {"settings_override": {"frame_recording": {"mode": "available"}}}
    assert rest(gateway, "default/shell", {"data": settings}).status == 201
    for kind in ("transcription", "frame_recording"):
        assert rest(gateway, f"default/shell/start_{kind}", {}).status == 201
    assert json.loads(ctl("stream-frame", "--call", "default:shell").stdout)["egress_id"]
    assert json.loads(ctl("stream-fail", "--call", "default:shell", "--what", "transcription").stdout)["failed"]
    assert ctl("stream-fail", "--call", "default:shell").returncode == 2
    assert ctl("stream-frame", "--call", "nonsense").returncode == 2
