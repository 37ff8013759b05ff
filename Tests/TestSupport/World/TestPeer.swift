package import GatewayCore
package import GatewayRuntime

/// A client that a test in a ``TestWorld`` controls: it sends what the test wants, and records what it receives.
///
/// `@unchecked Sendable`: used only on the world's loop.
package final class TestPeer: SocketHandler, CustomReflectable, @unchecked Sendable {
  package let world: TestWorld
  /// All messages so far, with their times.
  package private(set) var heard: [(at: Instant, frame: Frame)] = []
  /// The end of the connection: its time, and the code of the close frame, nil if there was none. Nil while it is open.
  package private(set) var end: (at: Instant, code: UInt16?)?
  private var socket: (any Socket)?
  /// The number of messages that the test has taken.
  private var taken = 0

  init(in world: TestWorld) {
    self.world = world
  }

  /// The parts that a failed expectation prints: the world contains the whole gateway, which runs on threads of its
  /// own.
  package var customMirror: Mirror { Mirror(self, children: ["texts": texts, "isOpen": isOpen]) }

  package var isOpen: Bool { socket != nil && end == nil }

  package var texts: [String] { heard.map(\.frame.text) }

  package func say(_ frame: Frame) {
    _ = socket?.send(frame)
  }

  package func say(_ text: String) { say(Frame(text: text)) }

  package func close() {
    socket?.close(.normal)
  }

  /// Returns the next message that the test has not taken; nil when the connection ends without one, or none comes in
  /// time.
  package func hear(within limit: Duration? = nil) async -> String? {
    _ = await world.wait(atMost: limit) { taken < heard.count || end != nil }
    guard taken < heard.count else { return nil }
    defer { taken += 1 }
    return heard[taken].frame.text
  }

  /// Returns whether a message so far, or within `limit`, contains `text`.
  package func hears(_ text: String, within limit: Duration? = nil) async -> Bool {
    await world.wait(atMost: limit) { heard.contains { $0.frame.text.contains(text) } }
  }

  /// Returns whether the connection ends.
  package func ends(within limit: Duration? = nil) async -> Bool {
    await world.wait(atMost: limit) { end != nil }
  }

  package func socketOpened(_ socket: any Socket) { self.socket = socket }
  package func socketRefused(_ failure: DialFailure) { end = (world.now, nil) }

  package func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    heard.append((world.now, Frame(kind, Array(payload))))
  }

  package func socketReceivedPong() {}
  package func socketReceivedPing() {}
  package func socketViolated(_ reason: CloseReason) {}
  package func socketClosed(_ peerCode: UInt16?) { end = (world.now, peerCode) }
}
