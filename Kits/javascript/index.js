// A gateway as a child process, and a space of it for each test: what Testcontainers is to a database. No packages.
//
//     const postern = await Postern.start();
//     const space = await postern.space({ settings: { "refresh-timeout": "90s" }, frozen: true });
//
// Every method of a space is one request of the control API, which Deploy/api/control.yaml describes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

async function ask(method, url, body) {
  const answer = await fetch(url, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

const patience = (ms) => new Promise((resolve) => setTimeout(resolve, ms, "late").unref());

/** Returns the command that starts the gateway: the program itself, or a container of an image. */
function command({ program, image, runtime }) {
  if (image === undefined) return [program ?? process.env.POSTERN ?? "postern"];
  // The container has the network of this machine, so that every space has a port on loopback, and no secret is needed.
  return [runtime ?? "docker", "run", "--rm", "--interactive", "--network", "host", image];
}

/** A gateway's process. It ends when its standard input closes: with the process that started it, even if that is killed. */
export class Postern {
  /**
   * Starts a gateway on free ports and waits until it is ready. `program` is the executable, else the variable POSTERN, else
   * `postern` on the PATH. With `image` it is a container; `runtime` starts it, `docker` or `podman`. `flags` are further flags
   * of `postern serve`.
   */
  static async start({ program, image, runtime, flags = [], patienceMs = 30_000 } = {}) {
    const [name, ...before] = command({ program, image, runtime });
    const words = [...before, "serve", "--spaces", "--end-with-input", "--port", "0", "--control-port", "0"];
    const child = spawn(name, [...words, "--drain-window", "0s", "--log-level", "error", ...flags], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      await once(child, "spawn");
    } catch (error) {
      throw new Error(`cannot start ${name}: ${error.code}; give "program" or "image", set POSTERN, or have it on the PATH`);
    }
    child.stdin.on("error", () => {});
    const lines = createInterface({ input: child.stdout });
    const line = await Promise.race([once(lines, "line"), once(lines, "close"), patience(patienceMs)]);
    if (line === "late") {
      child.kill("SIGKILL");
      throw new Error(`${name} was not ready within ${patienceMs} ms; see standard error`);
    }
    if (line.length === 0) throw new Error(`${name} ended before it was ready; see standard error`);
    try {
      return new Postern(child, JSON.parse(line[0]).control_url);
    } catch {
      child.kill("SIGKILL");
      throw new Error(`${name} printed ${JSON.stringify(line[0])} in place of the ready line; is it postern?`);
    }
  }

  /** Connects to a running gateway or proxy, started with `--spaces`. */
  static at(controlURL) {
    return new Postern(undefined, controlURL);
  }

  constructor(child, controlURL) {
    this.child = child;
    this.controlURL = controlURL;
  }

  /**
   * Creates a space. `settings` are options of `postern serve`; `frozen`, `seed`, `wall`, `idle_s` are as in `POST /spaces`. At a
   * proxy it is a route to `upstream`, whose `settings` are options of `postern proxy`.
   */
  async space(order = {}) {
    return new Space(this.controlURL, await ask("POST", `${this.controlURL}/spaces`, order));
  }

  /** Ends the process and waits for that, 20 s at most. A gateway that was not started here goes on. */
  async stop() {
    const child = this.child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.stdin.end();
    if ((await Promise.race([exit, patience(20_000)])) === "late") {
      child.kill("SIGKILL");
      await exit;
    }
  }
}

/** The vendors whose tokens have a form of their own. */
const SCHEMES = ["sendbird", "sinch", "stream-video", "streem"];

/** A gateway with its own users, keys, settings, port and clock. Clients connect to `urls.plain`, those of a route to `url`. */
export class Space {
  constructor(controlURL, made) {
    this.name = made.name;
    this.control = `${controlURL}/spaces/${made.name}`;
    this.httpURL = made.http_url;
    this.tokenURL = `${made.http_url}/v1/tokens`;
    this.url = made.url;
    this.urls = made.urls;
  }

  /** Returns a token of the space's own provider, as an application gets one from its server. */
  async token(user, lifeSeconds = 3600) {
    return (await ask("POST", this.tokenURL, { user_id: user, life_s: lifeSeconds })).token;
  }

  /** Returns the variables that `postern ctl conform` gives to a client's process, for the `env` of `spawn`. */
  async environment(user, dialect = "plain") {
    const scheme = SCHEMES.includes(dialect) ? dialect : "plain";
    const { token } = await ask("POST", this.tokenURL, { user_id: user, scheme });
    return {
      POSTERN_URL: this.urls[dialect], POSTERN_HTTP_URL: this.httpURL, POSTERN_TOKEN_URL: this.tokenURL, POSTERN_USER: user,
      POSTERN_TOKEN: token, POSTERN_TOKEN_SCHEME: scheme, POSTERN_API_KEY: "test",
    };
  }

  async #order(path, body = {}) {
    return ask("POST", this.control + path, body);
  }

  /** Expires the tokens of the user's sessions now. */
  expire = (user) => this.#order(`/users/${encodeURIComponent(user)}/expire`);

  /** Sends them a refresh request. */
  askForRefresh = (user) => this.#order(`/users/${encodeURIComponent(user)}/refresh`);

  /** Closes them. */
  disconnect = (user, code = 4005, reason = "disconnected") =>
    this.#order(`/users/${encodeURIComponent(user)}/disconnect`, { code, reason });

  /** Sends them a message of yours: a string as text, a Uint8Array as a binary message. */
  say = (user, message) =>
    this.#order(
      `/users/${encodeURIComponent(user)}/say`,
      typeof message === "string" ? { text: message } : { base64: Buffer.from(message).toString("base64") },
    );

  /** Revokes every token of the user issued until now. */
  revoke = (user) => this.#order("/revocations", { user_id: user });

  /** Orders a fault: `{ fault: "drop", what: "reply:refresh", times: 1 }` loses one answer. */
  fail = (fault) => this.#order("/faults", fault);

  /** Moves the space's time. `answered` tells whether all clients have answered their requests, `owing` which have not. */
  advance = (seconds, more = {}) => this.#order("/clock/advance", { by_s: seconds, ...more });

  /** Sets the space's time of day: "2000-01-01T00:00:00Z". Sessions keep their deadlines. */
  setWall = (date) => this.#order("/clock", { wall: date });

  /** Returns the journal's lines, filtered by e.g. `{ kind: "refreshed", user: "ann", after: 12 }`. */
  async journal(query = {}) {
    return (await ask("GET", `${this.control}/journal?${new URLSearchParams({ limit: 1000, ...query })}`)).lines;
  }

  /** Returns the number of the last line; later events have higher numbers. */
  async mark() {
    return (await ask("GET", `${this.control}/journal?limit=1`)).last;
  }

  /** Waits in real time for matching lines, and returns them. */
  async happens(kind, { user, after = 0, count = 1, withinMs = 5000 } = {}) {
    const answer = await this.#order("/journal/await", { kind, user, after, count, within_ms: withinMs });
    if (!answer.met) throw new Error(`${answer.lines.length} of ${count} ${kind} within ${withinMs} ms`);
    return answer.lines;
  }

  /** Ends it; connected clients are closed with 1001. */
  end = () => ask("DELETE", this.control);
}

/** Returns a test with its own space, for `it` or `test` of node:test; a failed one shows the space's journal. */
export function withSpace(postern, order, body) {
  return async () => {
    const space = await postern().space(order);
    try {
      await body(space);
    } catch (error) {
      // A gateway that has ended must not hide the test's failure.
      const lines = await space.journal().catch((gone) => console.error(`no journal: ${gone.cause ?? gone}`));
      for (const { n, at_ms, kind, time, dialect, ...rest } of (lines ?? []).slice(-30)) {
        console.error(`${n}`.padStart(6), `${at_ms / 1000} s`.padStart(14), kind.padEnd(18), JSON.stringify(rest));
      }
      await space.end().catch(() => {});
      throw error;
    }
    await space.end();
  };
}
