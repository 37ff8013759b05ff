// The kit against a real gateway: `POSTERN=path/to/postern node --test`.

import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";

import { Postern, withSpace } from "../index.js";

it("starts a gateway, makes a space, mints a token, reads the journal, and ends", async () => {
  const postern = await Postern.start();
  const space = await postern.space({ name: "t1", frozen: true, settings: { "token-life": "1h" } });
  assert.equal(space.name, "t1");
  assert.match(space.urls.plain, /^ws:/);
  const mark = await space.mark();
  assert.match(await space.token("ann"), /^eyJ/);
  assert.equal((await space.happens("provider_minted", { user: "ann", after: mark })).length, 1);
  assert.equal((await space.advance(60)).moved_s, 60);
  await space.end();
  await postern.stop();
  await postern.stop();
  await assert.rejects(Postern.at(postern.controlURL).space());
});

it("says what it cannot start, and what ended before it was ready", async () => {
  await assert.rejects(Postern.start({ program: "/nowhere/postern" }), /cannot start \/nowhere\/postern: ENOENT/);
  await assert.rejects(Postern.start({ program: "true" }), /ended before it was ready/);
  await assert.rejects(Postern.start({ program: "echo" }), /echo printed "serve --spaces .* in place of the ready line/);
  const folder = await mkdtemp(join(tmpdir(), "postern-"));
  const silent = join(folder, "silent");
  await writeFile(silent, "#!/bin/sh\nexec sleep 60\n");
  await chmod(silent, 0o755);
  await assert.rejects(Postern.start({ program: silent, patienceMs: 100 }), /silent was not ready within 100 ms/);
  await rm(folder, { recursive: true });
});

it("a test's failure is told even if the gateway has died", async () => {
  const postern = await Postern.start();
  const test = withSpace(() => postern, {}, async () => {
    postern.child.kill("SIGKILL");
    await new Promise((resolve) => postern.child.once("exit", resolve));
    throw new Error("what the test found");
  });
  await assert.rejects(test(), /what the test found/);
  await postern.stop();
});

it("starts an image on the network of this machine", async () => {
  const folder = await mkdtemp(join(tmpdir(), "postern-"));
  const runtime = join(folder, "docker");
  // A runtime whose container is the program itself.
  await writeFile(runtime, `#!/bin/sh\necho "$@" > ${folder}/asked\nshift 6\nexec "\${POSTERN:-postern}" "$@"\n`);
  await chmod(runtime, 0o755);
  const postern = await Postern.start({ image: "postern:1.0", runtime });
  assert.match(await readFile(join(folder, "asked"), "utf8"), /^run --rm --interactive --network host postern:1.0 serve --spaces /);
  await (await postern.space()).end();
  await postern.stop();
  await rm(folder, { recursive: true });
});
