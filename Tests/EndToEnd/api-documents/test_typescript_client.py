"""A TypeScript client that another project's generator makes from the control port's document. It is compiled, and Node runs
it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gateway
import pytest

DOCUMENT = Path(__file__).parent.parent.parent.parent / "Deploy" / "api" / "control.yaml"
GENERATOR = Path(sys.executable).parent / "openapi-generator-cli"

SCRIPT = """
const { Configuration, FaultsApi, JournalApi, OrdersApi, SpacesApi } = require("./js");
const assert = require("node:assert");

(async () => {
  const at = (path) => new Configuration({ basePath: process.argv[2] + path });
  const spaces = new SpacesApi(at(""));
  const space = await spaces.makeSpace({ makeSpaceRequest: { frozen: true, settings: { "refresh-timeout": "90s" } } });
  const own = at(`/spaces/${space.name}`);
  const moved = await spaces.advanceClock({ name: space.name, advanceClockRequest: { byS: 3600 } });
  assert.deepStrictEqual([moved.movedS, moved.answered, moved.owing], [3600, true, []]);

  const order = { what: "reply:refresh", who: { users: ["ann"], share: 0.5 }, times: 1 };
  const fault = await new FaultsApi(own).addFault({ faultOrder: { fault: "drop", ...order } });
  const wrong = await new FaultsApi(own).addFault({ faultOrder: { fault: "dorp", ...order } }).catch((error) => error);
  assert.match((await wrong.response.json()).error.message, /drop/);

  const token = { method: "POST", headers: { "content-type": "application/json" }, body: '{"user_id": "ann"}' };
  assert.strictEqual((await fetch(`${space.httpUrl}/v1/tokens`, token)).status, 200);
  const journal = new JournalApi(own);
  const heard = await journal.awaitJournal({ awaitJournalRequest: { kind: "provider_minted", user: "ann", withinMs: 5000 } });
  assert.deepStrictEqual([heard.met, heard.lines[0].user], [true, "ann"]);
  const verdict = await journal.expectOfJournal({ expectOfJournalRequest: { expect: "single_flight", user: "ann" } });
  assert.deepStrictEqual([verdict.verdict, verdict.lines.length], ["passed", 1]);

  await new OrdersApi(own).expireUser({ id: "ann", body: {} });
  await spaces.endSpace({ name: space.name });
  const gone = await spaces.inspectSpace({ name: space.name }).catch((error) => error.response.status);
  console.log("served", fault.number, gone);
})().catch((error) => { console.error(error); process.exit(1); });
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typescript")
    run(GENERATOR, "generate", "-i", DOCUMENT, "-g", "typescript-fetch", "-o", folder / "ts")
    # Debian's compiler is older than what the generator's own code is strict for.
    run(
        "tsc", "--target", "es2020", "--module", "commonjs", "--lib", "es2020,dom", "--strict", "--noImplicitAny", "false",
        "--outDir", folder / "js", folder / "ts" / "index.ts",
    )
    (folder / "client.js").write_text(SCRIPT)
    return folder


def run(*command):
    # The generator's own settings would come from the environment.
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, env=os.environ)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_typescript_client_makes_a_space_breaks_it_and_asks_what_happened(client):
    with gateway.Gateway("--spaces", loops=1) as running:
        said = run("node", client / "client.js", running.control_url)
    assert said.split() == ["served", "1", "404"], said


def test_the_typescript_client_knows_every_kind_of_journal_line(client):
    """By the document's own lists, so that a kind that is new there is one of the client's."""
    with gateway.Gateway("--journal", loops=1) as running:
        script = "console.log(JSON.stringify(Object.values(require('./js').JournalKind)))"
        kinds = json.loads(run("node", "-e", script.replace("./js", str(client / "js"))))
        assert "refreshed" in kinds and running.process.poll() is None
