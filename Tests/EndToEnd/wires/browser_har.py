"""HAR files of what a page did in Debian's Chromium, written by Playwright and by Chromium's own developer tools."""

import shutil
import time

from playwright.sync_api import sync_playwright
from ports import free_port

FLAGS = [
    "--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-allow-origins=*",
]
PATIENCE = 90
# The modules are those that the network panel's "Export HAR" uses.
SEEN = """async () => {
  const { NetworkLog } = await import("/devtools/models/logs/logs.js");
  return NetworkLog.NetworkLog.instance().requests().map(request => [request.resourceType().name(), request.finished]);
}"""
EXPORT = """async () => {
  const [{ NetworkLog }, HAR] = [await import("/devtools/models/logs/logs.js"), await import("/devtools/models/har/har.js")];
  const requests = NetworkLog.NetworkLog.instance().requests().filter(request => !request.url().startsWith("data:"));
  const progress = { createSubProgress: () => ({}) };
  return HAR.Writer.Writer.harStringForRequests(requests, { sanitize: false }, progress);
}"""


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def record(script, given, sockets, of_playwright, of_tools):
    """Runs a page's script, which opens so many WebSockets, with both recorders looking on. `given()` makes its arguments at the
    last moment: tokens of a few seconds would end while the browser starts."""
    with sync_playwright() as playwright:
        port = free_port()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*FLAGS, f"--remote-debugging-port={port}"])
        context = browser.new_context(record_har_path=of_playwright, record_har_content="embed")
        page, tools = context.new_page(), browser.new_context().new_page()
        target = context.new_cdp_session(page).send("Target.getTargetInfo")["targetInfo"]["targetId"]
        tools.goto(f"http://127.0.0.1:{port}/devtools/inspector.html?ws=127.0.0.1:{port}/devtools/page/{target}")

        def looks_on():
            page.evaluate("fetch('data:text/plain,x')")
            return tools.evaluate(SEEN)

        until(looks_on)
        page.evaluate(script, given())

        def has_seen_the_ends():
            return [ended for kind, ended in tools.evaluate(SEEN) if kind == "websocket"] == [True] * sockets

        until(has_seen_the_ends)
        of_tools.write_text(tools.evaluate(EXPORT))
        context.close()
        browser.close()
