import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { Postern, withSpace } from "postern-testing";

import { Client } from "./client.js";

describe("the client under test", () => {
  let postern;
  before(async () => {
    postern = await Postern.start();
  });
  after(() => postern.stop());
  const inSpace = (order, body) => withSpace(() => postern, order, body);

  it(
    "asks its provider for one token when its own expires",
    inSpace({}, async (space) => {
      const client = await Client.connect(space.urls.plain, () => space.token("ann"));
      const after = await space.mark();
      await space.expire("ann");
      await space.happens("refreshed", { user: "ann", after });
      assert.equal((await space.journal({ kind: "provider_minted", user: "ann", after })).length, 1);
      await client.close();
    }),
  );

  it(
    "lives through a day that passes at once, with tokens of eight hours",
    inSpace({ frozen: true }, async (space) => {
      const client = await Client.connect(space.urls.plain, () => space.token("ann", 8 * 3600));
      const moved = await space.advance(86_400, { patience_ms: 20_000 });
      assert.ok(moved.answered, JSON.stringify(moved.owing));
      assert.equal((await space.journal({ kind: "refreshed", user: "ann" })).length, 3);
      assert.equal((await space.journal({ kind: "connection_opened" })).length, 1);
      await client.close();
    }),
  );

  it(
    "is told 4000 when it does not answer in time",
    inSpace({ settings: { "refresh-timeout": "90s" } }, async (space) => {
      const client = await Client.connect(space.urls.plain, () => space.token("ann"), { refreshes: false });
      await space.expire("ann");
      const moved = await space.advance(80, { patience_ms: 0 });
      assert.deepEqual(moved.owing.map((session) => session.user_id), ["ann"]);
      await space.advance(20, { patience_ms: 0 });
      assert.equal(await client.closed, 4000);
    }),
  );

  it(
    "stays when the answer to its token is lost, and refreshes the next time",
    inSpace({}, async (space) => {
      const client = await Client.connect(space.urls.plain, () => space.token("ann"));
      await space.fail({ fault: "drop", what: "reply:refresh", times: 1 });
      await space.expire("ann");
      const [first] = await space.happens("refreshed", { user: "ann" });
      await space.expire("ann");
      await space.happens("refreshed", { user: "ann", after: first.n });
      assert.equal((await space.journal({ kind: "faulted" })).length, 1);
      assert.equal((await space.journal({ kind: "connection_opened" })).length, 1);
      await client.close();
    }),
  );

  it(
    "is not let in with a token that was revoked",
    inSpace({}, async (space) => {
      const token = await space.token("ann");
      await space.revoke("ann");
      await assert.rejects(Client.connect(space.urls.plain, () => token), /closed with/);
    }),
  );
});
