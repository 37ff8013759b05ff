// The part of a WebSocket client (RFC 6455) that the example needs, on the sockets of node:http: Node has none of its own
// before version 22, and this folder uses no packages. Your client uses its own library.

import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { request } from "node:http";

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** Emits `message` with a text, and at its end `close` with the code of the close frame, 1006 without one. */
export class SmallWebSocket extends EventEmitter {
  #socket;
  #bytes = Buffer.alloc(0);
  #code = 1006;

  static async connect(url) {
    const upgrade = request(url.replace(/^ws/, "http"), {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
      },
    });
    upgrade.on("response", (refusal) => upgrade.destroy(new Error(`HTTP ${refusal.statusCode} and no WebSocket`)));
    upgrade.end();
    const [, socket, head] = await once(upgrade, "upgrade");
    return new SmallWebSocket(socket, head);
  }

  constructor(socket, head) {
    super();
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", () => {});
    socket.on("close", () => this.emit("close", this.#code));
    // The caller of `connect` adds its listeners first.
    setImmediate(() => this.#take(head));
  }

  send(text) {
    this.#write(TEXT, Buffer.from(text));
  }

  close(code = 1000) {
    this.#write(CLOSE, Buffer.from([code >> 8, code & 0xff]));
  }

  #write(kind, payload) {
    if (!this.#socket.writable) return;
    const mask = randomBytes(4);
    const length = Buffer.alloc(payload.length < 126 ? 2 : 4);
    length[0] = 0x80 | kind;
    length[1] = 0x80 | Math.min(payload.length, 126);
    if (payload.length >= 126) length.writeUInt16BE(payload.length, 2);
    this.#socket.write(Buffer.concat([length, mask, payload.map((byte, index) => byte ^ mask[index & 3])]));
  }

  /** Parses frames; the gateway's are whole, unmasked, and shorter than 64 KiB. */
  #take(bytes) {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#bytes.length >= 2) {
      const short = this.#bytes[1] & 0x7f;
      const start = short === 126 ? 4 : 2;
      if (this.#bytes.length < start) return;
      const end = start + (short === 126 ? this.#bytes.readUInt16BE(2) : short);
      if (this.#bytes.length < end) return;
      const [kind, payload] = [this.#bytes[0] & 0x0f, this.#bytes.subarray(start, end)];
      this.#bytes = this.#bytes.subarray(end);
      if (kind === TEXT) this.emit("message", payload.toString());
      if (kind === PING) this.#write(PONG, payload);
      if (kind === CLOSE) {
        this.#code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
        this.#write(CLOSE, payload.subarray(0, 2));
        this.#socket.end();
      }
    }
  }
}
