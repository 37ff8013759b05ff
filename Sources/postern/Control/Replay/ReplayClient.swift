import GatewayCore
import GatewayRuntime

/// A client that repeats the actions of a recorded one. It answers nothing by itself.
///
/// An actor on the loop of its socket.
actor ReplayClient: SocketHandler {
  /// How the upgrade ended.
  enum Opening: Sendable {
    case opened
    case refused(DialFailure)
  }

  private nonisolated let loop: EventLoop
  private let keepsMessages: Bool
  private var socket: (any Socket)?
  private var opening: CheckedContinuation<Opening, Never>?
  /// The messages from the gateway that nobody has taken; empty if it keeps none.
  private(set) var heard: [Frame] = []
  private var heardBytes = 0
  /// The code that it was closed with, 1006 without one; nil while it is open.
  private(set) var code: UInt16?
  /// Whether it has left by itself.
  private(set) var hasLeft = false

  private static let heardMax = 64 << 20

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop, keepsMessages: Bool) {
    self.loop = loop
    self.keepsMessages = keepsMessages
  }

  /// Connects. Returns how the upgrade ended.
  func open(_ target: DialTarget, _ upgrade: ClientUpgrade, by dialer: any Dialer) async -> Opening {
    await withCheckedContinuation { continuation in
      opening = continuation
      dialer.dial(target, upgrade: upgrade.request, subprotocols: upgrade.subprotocols, handler: self)
    }
  }

  func say(_ frame: Frame) { _ = socket?.send(frame) }

  func close(_ code: Int) {
    hasLeft = true
    let reason = UInt16(exactly: code).flatMap { CloseReason(code: $0, name: "") } ?? .normal
    socket?.close(reason)
  }

  func lose() {
    hasLeft = true
    socket?.abort()
  }

  /// Removes the message at a place and returns it; nil if the client has fewer.
  func take(at place: Int) -> Frame? {
    guard heard.indices.contains(place) else { return nil }
    heardBytes -= heard[place].payload.count
    return heard.remove(at: place)
  }

  private func end(_ outcome: Opening) {
    opening?.resume(returning: outcome)
    opening = nil
  }

  nonisolated func socketOpened(_ socket: any Socket) {
    assumeIsolated { client in
      client.socket = socket
      client.end(.opened)
    }
  }

  nonisolated func socketRefused(_ failure: DialFailure) { assumeIsolated { $0.end(.refused(failure)) } }

  nonisolated func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    let bytes = Array(payload)
    assumeIsolated { client in
      guard client.keepsMessages else { return }
      let frame = Frame(kind, bytes)
      guard client.heardBytes + frame.payload.count <= Self.heardMax else {
        client.socket?.abort()
        return
      }
      client.heardBytes += frame.payload.count
      client.heard.append(frame)
    }
  }

  nonisolated func socketReceivedPong() {}
  nonisolated func socketReceivedPing() {}
  nonisolated func socketViolated(_ reason: CloseReason) {}

  nonisolated func socketClosed(_ peerCode: UInt16?) {
    assumeIsolated { client in
      client.socket = nil
      client.code = peerCode ?? 1006
    }
  }
}
