internal import GatewayCore
internal import GatewayFaults
internal import GatewayRuntime

/// The way from a socket of the network into a hosted space.
///
/// Every call enters the space's loop, so that the connection there finds itself on its own loop.
///
/// `@unchecked Sendable`: touched only on the host's thread.
final class SpaceHandler: SocketHandler, @unchecked Sendable {
  let number: UInt64
  private let inner: any SocketHandler
  private let space: HostedSpace
  private var socket: (any Socket)?

  init(_ inner: any SocketHandler, number: UInt64, in space: HostedSpace) {
    self.inner = inner
    self.number = number
    self.space = space
  }

  func socketOpened(_ socket: any Socket) {
    self.socket = socket
    enter { inner.socketOpened(socket) }
    if space.isEnding { close() }
  }

  func socketRefused(_ failure: DialFailure) {
    enter { inner.socketRefused(failure) }
    space.forget(self)
  }

  var takesBytesAsText: Bool { inner.takesBytesAsText }

  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    enter { inner.socketReceived(payload, kind) }
  }

  func socketReceivedPong() { enter { inner.socketReceivedPong() } }

  func socketReceivedPong(_ payload: UnsafeRawBufferPointer) { enter { inner.socketReceivedPong(payload) } }

  func socketReceivedPing() { enter { inner.socketReceivedPing() } }

  func socketReceivedPing(_ payload: UnsafeRawBufferPointer) { enter { inner.socketReceivedPing(payload) } }

  func socketDrained() { space.loop.asCurrent { inner.socketDrained() } }

  func socketViolated(_ reason: CloseReason) { enter { inner.socketViolated(reason) } }

  func socketHeardGoodbye(_ text: String) { enter { inner.socketHeardGoodbye(text) } }

  func socketClosed(_ peerCode: UInt16?) {
    enter { inner.socketClosed(peerCode) }
    socket = nil
    space.forget(self)
  }

  private func enter(_ body: () -> Void) {
    space.loop.asCurrent(body)
    space.traffic.note()
  }

  /// Ends it because the space ends.
  func close() {
    space.loop.asCurrent {
      if let party = (inner as? FaultySocket)?.party ?? inner as? any FaultParty {
        party.control(.disconnect(.goingAway))
      } else {
        socket?.close(.goingAway)
      }
    }
  }

  /// Ends it without its peer.
  func abort() { socket?.abort() }
}
