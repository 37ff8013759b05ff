package import GatewayCore
package import GatewayRuntime

/// A client in the hand of a test that runs in a ``TestWorld``: says what the test wants said, and remembers what it hears.
///
/// `@unchecked Sendable`: touched only on the world's loop.
package final class TestPeer: SocketHandler, CustomReflectable, @unchecked Sendable {
  package let world: TestWorld
  /// All messages so far, and when they came.
  package private(set) var heard: [(at: Instant, frame: Frame)] = []
  /// How and when the connection ended: the code of the close frame, nil if there was none. Nil while it has not.
  package private(set) var end: (at: Instant, code: UInt16?)?
  private var socket: (any Socket)?
  /// How many of the messages the test has taken.
  private var taken = 0

  init(in world: TestWorld) {
    self.world = world
  }

  /// What a failed expectation shows of it: behind the world stands the whole gateway, at work on threads of its own.
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

  /// The next message that the test has not taken; nil when the connection ends without one, or none comes in time.
  package func hear(within limit: Duration? = nil) async -> String? {
    _ = await world.wait(atMost: limit) { taken < heard.count || end != nil }
    guard taken < heard.count else { return nil }
    defer { taken += 1 }
    return heard[taken].frame.text
  }

  /// The first message so far, or within `limit`, that holds `text`.
  package func hears(_ text: String, within limit: Duration? = nil) async -> Bool {
    await world.wait(atMost: limit) { heard.contains { $0.frame.text.contains(text) } }
  }

  /// Whether the connection ends.
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
