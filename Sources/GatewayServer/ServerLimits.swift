/// The limits that a server sets for its peers.
package struct ServerLimits: Hashable, Sendable {
  /// The maximum number of bytes in the head of one request; above it the answer is 431. 1024...32000.
  package var headerBytesMax = 8192
  /// The maximum number of bytes in the body of one request; above it the answer is 413.
  package var bodyBytesMax = 64 << 10
  /// The maximum number of bytes in one WebSocket message, over all its fragments; above it the close code is 1009.
  package var messageBytesMax = 64 << 10
  /// The maximum number of bytes that wait for a peer that reads slowly; above it the peer is a slow consumer.
  package var outboundBytesMax = 256 << 10
  /// The maximum number of connections of a server on all its listeners and loops; above it the answer is 503.
  package var connectionsMax = 1_000_000
  /// The maximum number of new connections a second of a server, and the largest burst; above it the answer is 503. Nil
  /// for no limit.
  package var connectionsPerSecond: Double?
  /// The time in which an accepted connection must send its request head, and the time for the body. Whole seconds.
  package var handshakeTimeout = Duration.seconds(10)
  /// The time after which a kept-alive connection is closed if no other request begins.
  package var idleTime = Duration.seconds(15)
  /// The time after which a connection is closed if its reader takes no byte of an answer.
  package var readerPatience = Duration.seconds(30)
  /// The time in which the peer must answer a close frame, unless the socket's owner has a shorter timeout. It is also how long
  /// a connection stays open if its close frame is not answered on purpose.
  package var closeTimeout = Duration.seconds(15)

  package init() {}

  /// The descriptors that a process may have open beside the connections: files, dialled connections and fetches, other loops'
  /// pipes.
  package static let descriptorReserve = 256

  /// Returns how many of the `limit` descriptors of a process clients may not use. The upper half is for the control port; with
  /// the lower half clients get a 503.
  static func descriptorsKept(of limit: Int) -> Int { max(8, min(128, limit / 8)) }

  /// Returns the fewest descriptors with which a server of that many loops starts. It opens some itself, and needs some for a
  /// few clients and the reserve.
  package static func descriptorsMin(loops: Int) -> Int { 24 + 12 * loops }

  /// Returns the size of the library's table of descriptors, made while `open` of them are in use. Each close walks the table,
  /// so it is no longer than the connections need: the system assigns the lowest free number.
  func descriptorsMax(beside open: Int) -> Int {
    open + min(connectionsMax, 1 << 24) + Self.descriptorReserve
  }

  /// The handshake's timeout in the library's unit.
  var handshakeSeconds: UInt32 { UInt32(clamping: max(1, handshakeTimeout.components.seconds)) }
}
