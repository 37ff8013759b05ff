// The client under test: it logs in, and answers each refresh request with a new token. Replace it by yours.

import { SmallWebSocket } from "./websocket.js";

export class Client {
  /** `provider` returns a token, as your application's server does; without `refreshes` it never answers. */
  static async connect(url, provider, { refreshes = true } = {}) {
    const socket = await SmallWebSocket.connect(url);
    const client = new Client(socket);
    const connected = new Promise((resolve, reject) => {
      socket.on("close", (code) => reject(new Error(`closed with ${code}`)));
      socket.on("message", async (text) => {
        const message = JSON.parse(text);
        if (message.type === "connected") resolve();
        if (message.type === "refresh_required" && refreshes) {
          socket.send(JSON.stringify({ type: "refresh", token: await provider() }));
        }
      });
    });
    socket.send(JSON.stringify({ type: "connect", token: await provider() }));
    await connected;
    return client;
  }

  constructor(socket) {
    this.socket = socket;
    /** Resolves when it is closed, with the code. */
    this.closed = new Promise((resolve) => socket.on("close", resolve));
  }

  close() {
    this.socket.close();
    return this.closed;
  }
}
