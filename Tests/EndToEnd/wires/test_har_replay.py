"""`postern ctl replay` of what a page did in Debian's Chromium: the HAR files of Playwright and of Chromium's own developer tools."""

import json
import os
import re
import subprocess

import browser_har
import pytest
from gateway import Gateway
from orders import counts_of
from test_drafts import Proxied

# Asks for a token over HTTP, logs in, asks for another token, renews by a message, and leaves. Then it is refused an upgrade.
PAGE = """async ([url]) => {
  const ask = async () => {
    const answer = await fetch(url.replace("ws", "http") + "/v1/tokens", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ user_id: "ann", expires_in_s: 600 }),
    });
    return (await answer.json()).token;
  };
  const event = (socket, name) => new Promise(done => socket.addEventListener(name, done, { once: true }));
  const first = await ask();
  const socket = new WebSocket(url + "/v1/connect");
  await event(socket, "open");
  for (const message of [{ type: "connect", token: first }, { type: "refresh", token: await ask() }]) {
    const answer = event(socket, "message");
    socket.send(JSON.stringify(message));
    await answer;
  }
  const closed = event(socket, "close");
  socket.close();
  await closed;
}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The HAR files of both tools, and the recording of the proxy between."""
    folder = tmp_path_factory.mktemp("har")
    of_tools, of_playwright, recording = (folder / name for name in ("tools.har", "page.har", "run.jsonl"))
    with Gateway("--journal", "--origin", "null", loops=1) as gateway, Proxied(gateway.url, "--record", recording) as proxy:
        browser_har.record(PAGE, lambda: [proxy.url], 1, of_playwright, of_tools)
        counts = counts_of(gateway)
    assert counts["logged_in"] == 1 == counts["refreshed"], counts
    return {"tools": of_tools, "playwright": of_playwright, "proxy": recording}


def replayed(path, status=0):
    with Gateway("--spaces", loops=1) as host:
        command = [os.environ["POSTERN"], "ctl", "replay", str(path), "--url", host.control_url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == status and "eyJ" not in done.stdout + done.stderr, done
    return done.stdout + done.stderr


@pytest.mark.parametrize("tool", ["tools", "playwright", "proxy"])
def test_a_har_file_of_a_browser_is_replayed_as_the_recording_is(files, tool):
    said = replayed(files[tool])
    # Both calls for tokens, the upgrade and both answers; the recording has the preflights and the end, too.
    alike, different = map(int, re.search(r"(\d+) alike, (\d+) different", said).groups())
    assert alike >= 5 and different == 0, said


@pytest.mark.parametrize("tool", ["tools", "playwright"])
def test_an_answer_in_a_har_file_of_a_browser_that_the_gateway_does_not_give_is_a_difference(files, tool, tmp_path):
    text = files[tool].read_text()
    har = json.loads(text)
    [messages] = [entry["_webSocketMessages"] for entry in har["log"]["entries"] if entry.get("_webSocketMessages")]
    [answer] = [message for message in messages if message["type"] == "receive" and "refreshed" in message["data"]]
    answer["data"] = answer["data"].replace("refreshed", "renewed")
    path = tmp_path / "other.har"
    path.write_text(json.dumps(har))
    said = replayed(path, status=1)
    assert "1 different" in said and "renewed" in said, said
