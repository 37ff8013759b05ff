/// The limits that a server sets a peer: a body of 64 KB, for instance, and 413 above.
package struct ServerLimits: Hashable, Sendable {
  /// The head of one request, 431 above. 1024...32000.
  package var headerBytesMax = 8192
  /// The body of one request, 413 above.
  package var bodyBytesMax = 64 << 10
  /// One WebSocket message, over all its fragments; close code 1009 above.
  package var messageBytesMax = 64 << 10
  /// What may wait for a peer that reads slowly, above which it is a slow consumer.
  package var outboundBytesMax = 256 << 10
  /// Connections of a server on all its listeners and loops, 503 above.
  package var connectionsMax = 1_000_000
  /// New connections a second of a server, 503 above; bursts of as many are let through. Nil for no limit.
  package var connectionsPerSecond: Double?
  /// How long an accepted connection may take to send its request head, and how long its body may take. Whole seconds.
  package var handshakeTimeout = Duration.seconds(10)
  /// How long a connection that is kept alive may say nothing between two requests.
  package var idleTime = Duration.seconds(15)
  /// How long a reader may take none of an answer.
  package var readerPatience = Duration.seconds(30)
  /// How long the peer may take to answer a close frame, if nobody who owns the socket is less patient; and how long one
  /// may wait whose close frame is not answered on purpose.
  package var closeTimeout = Duration.seconds(15)

  package init() {}

  /// What a process may have open beside the connections: its files, what it dials and fetches, other loops' pipes.
  package static let descriptorReserve = 256

  /// How many of the `limit` descriptors of a process clients may not take: with the upper half of them the control port
  /// still answers, with the lower half clients are told 503.
  static func descriptorsKept(of limit: Int) -> Int { max(8, min(128, limit / 8)) }

  /// The descriptors that a server of so many loops opens for itself, a few clients' and those that are kept: with fewer
  /// it does not start.
  package static func descriptorsMin(loops: Int) -> Int { 24 + 12 * loops }

  /// How long the library's table of descriptors is to be, made while `open` of them are in use. Each close walks it, so
  /// it is no longer than the connections need: numbers are given lowest first.
  func descriptorsMax(beside open: Int) -> Int {
    open + min(connectionsMax, 1 << 24) + Self.descriptorReserve
  }

  /// The handshake's time-out as the library wants it.
  var handshakeSeconds: UInt32 { UInt32(clamping: max(1, handshakeTimeout.components.seconds)) }
}
