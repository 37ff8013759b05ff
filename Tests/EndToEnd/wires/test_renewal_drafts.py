"""`postern wire draft` of wires whose clients send no message to renew: a client of a server is recorded, and the same client logs
in and renews at the draft that `postern serve --wire` plays.

The servers are Starlette's, and the clients those of websockets and urllib.
"""

import asyncio

import browser_har
import json5
import pytest
from described import TIMES
from gateway import Gateway, token
from orders import counts_of, get
from renewals import CIRCLES, keys, minted
from servers import Server
from starlette.middleware.cors import CORSMiddleware
from test_drafts import Proxied, draft, postern

HOW = {"keys": "http", "sessions": "http", "exchange": "http", "pushes": "pushed"}


def play(client, there, mint):
    asyncio.run(asyncio.wait_for(client(there, mint), 120))


@pytest.mark.parametrize("name", CIRCLES)
def test_a_client_logs_in_and_renews_at_its_draft_without_an_edit(name, tmp_path, secret_file):
    make, client = CIRCLES[name]
    with Server(make) as server:
        with Proxied(server.url, "--record", tmp_path / "run.jsonl") as proxy:
            play(client, proxy, minted)
        path = draft(tmp_path / "run.jsonl", tmp_path)
        text = path.read_text()
        assert f'"how": "{HOW[name]}"' in text and "session-" not in text, text
        # A storm's client by the draft renews at the server that was recorded.
        said = postern("wire", "try", "--wire", path, "--url", server.url, "--mint", "--secret-file", secret_file, "--life", "10s", "--timeout", "60s").stdout
        assert "renewed 1 times" in said and "eyJ" not in said, said + text
        # The draft reads what the client and the server say.
        with Proxied(server.url, "--wire", path) as proxy:
            play(client, proxy, minted)
            counts = counts_of(proxy)
            assert counts["refreshed"] == 2 and counts["logged_in"] == (2 if name == "pushes" else 1), (counts, text)
    with Gateway("--wire", str(path), *TIMES, loops=1) as gateway:
        play(client, gateway, token)
        counts = get(gateway, "/journal/counts?user=ann")["counts"]
        assert counts["refreshed"] == 2 and counts["logged_in"] == (2 if name == "pushes" else 1), (counts, text)
        assert counts["refresh_refused"] == 0, (counts, text)


PAGE = """async ([url, first, second]) => {
  const post = (path, headers, body) => fetch(url.replace("ws", "http") + path, { method: "POST", headers, body });
  const { key } = await (await post("/keys/negotiate", { Authorization: "Bearer " + first })).json();
  const socket = new WebSocket(`${url}/keys/socket?key=${key}&access_token=${first}`);
  const event = name => new Promise(done => socket.addEventListener(name, done, { once: true }));
  await event("message");
  await (await post("/keys/refresh", { "Content-Type": "application/json" }, JSON.stringify({ key, token: second }))).json();
  const closed = event("close");
  socket.close();
  await closed;
}"""


def test_the_har_files_of_a_page_that_renews_over_http_give_the_draft_of_the_recording(tmp_path):
    of_tools, of_playwright, recording = (tmp_path / file for file in ("tools.har", "page.har", "run.jsonl"))

    def make(log):
        return CORSMiddleware(keys(log), allow_origins=["*"], allow_methods=["POST"], allow_headers=["*"])

    with Server(make) as server, Proxied(server.url, "--record", recording) as proxy:
        browser_har.record(PAGE, lambda: [proxy.url, minted("ann", 60), minted("ann", 120)], 1, of_playwright, of_tools)
        assert server.log["renewed"] == 1
    texts = [draft(path, tmp_path).read_text() for path in (recording, of_playwright, of_tools)]
    drafts = [json5.loads(text) for text in texts]
    assert drafts[0] == drafts[1] == drafts[2], texts
    assert drafts[0]["refresh"]["how"] == "http" and drafts[0]["refresh"]["request"]["json"] == {"key": "{{taken.ticket}}", "token": "{{token}}"}, texts
