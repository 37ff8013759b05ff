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

/** The process. It ends when its standard input does: with the one that started it, even if that is killed. */
export class Postern {
  /** Starts `program serve`: the variable POSTERN names it unless it is on the PATH. */
  static async start({ program = process.env.POSTERN ?? "postern", flags = [] } = {}) {
    const words = ["serve", "--spaces", "--end-with-input", "--port", "0", "--control-port", "0"];
    const child = spawn(program, [...words, "--log-level", "error", ...flags], { stdio: ["pipe", "pipe", "inherit"] });
    await once(child, "spawn");
    for await (const line of createInterface({ input: child.stdout })) {
      return new Postern(child, JSON.parse(line).control_url);
    }
    throw new Error(`${program} ended before it was ready; what it said is on standard error`);
  }

  constructor(child, controlURL) {
    this.child = child;
    this.controlURL = controlURL;
  }

  /** Makes a space. `settings` are options of `postern serve`; `frozen`, `seed`, `idle_s` are as in `POST /spaces`. */
  async space(order = {}) {
    return new Space(this.controlURL, await ask("POST", `${this.controlURL}/spaces`, order));
  }

  /** Ends the process, and waits for that. */
  async stop() {
    const exit = once(this.child, "exit");
    this.child.stdin.end();
    await exit;
  }
}

/** A gateway of its own: users, keys, settings, a port and a clock. `urls.plain` is where clients connect. */
export class Space {
  constructor(controlURL, made) {
    this.control = `${controlURL}/spaces/${made.name}`;
    this.httpURL = made.http_url;
    this.urls = made.urls;
  }

  /** A token of the space's own provider, as an application gets one from its server. */
  async token(user, lifeSeconds = 3600) {
    return (await ask("POST", `${this.httpURL}/v1/tokens`, { user_id: user, life_s: lifeSeconds })).token;
  }

  async #order(path, body = {}) {
    return ask("POST", this.control + path, body);
  }

  /** Lets the tokens of the user's sessions expire now. */
  expire = (user) => this.#order(`/users/${encodeURIComponent(user)}/expire`);

  /** Asks them for another token. */
  askForRefresh = (user) => this.#order(`/users/${encodeURIComponent(user)}/refresh`);

  /** Closes them. */
  disconnect = (user, code = 4005, reason = "disconnected") =>
    this.#order(`/users/${encodeURIComponent(user)}/disconnect`, { code, reason });

  /** Makes every token of the user issued until now worth nothing. */
  revoke = (user) => this.#order("/revocations", { user_id: user });

  /** Has the gateway fail: `{ fault: "drop", what: "reply:refresh", times: 1 }` loses one answer. */
  fail = (fault) => this.#order("/faults", fault);

  /** Moves the space's time; `answered` says whether everybody who was asked has answered, `owing` who has not. */
  advance = (seconds, more = {}) => this.#order("/clock/advance", { by_s: seconds, ...more });

  /** What happened, line by line: `{ kind: "refreshed", user: "ann", after: 12 }` asks for some of it. */
  async journal(query = {}) {
    return (await ask("GET", `${this.control}/journal?${new URLSearchParams({ limit: 1000, ...query })}`)).lines;
  }

  /** The number of the last line: what happens from here on comes after it. */
  async mark() {
    return (await ask("GET", `${this.control}/journal?limit=1`)).last;
  }

  /** Waits in real time until something has happened, and returns its lines. */
  async happens(kind, { user, after = 0, count = 1, withinMs = 5000 } = {}) {
    const answer = await this.#order("/journal/await", { kind, user, after, count, within_ms: withinMs });
    if (!answer.met) throw new Error(`${answer.lines.length} of ${count} ${kind} within ${withinMs} ms`);
    return answer.lines;
  }

  /** Ends it: who is connected is closed with 1001. */
  end = () => ask("DELETE", this.control);
}

/** A test with a space of its own, for `it` or `test` of node:test; one that fails shows the space's journal. */
export function withSpace(postern, order, body) {
  return async () => {
    const space = await postern().space(order);
    try {
      await body(space);
    } catch (error) {
      for (const { n, at_ms, kind, time, dialect, ...rest } of (await space.journal()).slice(-30)) {
        console.error(`${n}`.padStart(6), `${at_ms / 1000} s`.padStart(14), kind.padEnd(18), JSON.stringify(rest));
      }
      throw error;
    } finally {
      await space.end();
    }
  };
}
