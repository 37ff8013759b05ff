// The compiler finds the constants of <sys/socket.h> in the first C module that includes it.
internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// Idle connections of finished HTTP requests, kept for the next request to the same target. Only on its loop.
final class KeptConnections {
  /// An idle connection, with the time since when it is idle.
  struct Kept {
    let descriptor: CInt
    let tls: TLSClient?
    fileprivate let since: Instant
  }

  private var idle: [DialTarget: [Kept]] = [:]
  private var count = 0

  /// The number of requests that clients may make at once; further connections are closed.
  private static let countMax = 1024
  /// Servers close connections that are idle for longer, some of them after five seconds.
  private static let ageMax = Duration.seconds(4)

  deinit {
    for connections in idle.values { for connection in connections { close(connection.descriptor) } }
  }

  /// Returns a connection that the server has not closed; nil if there is none.
  func take(_ target: DialTarget, at now: Instant) -> Kept? {
    while let connection = idle[target]?.popLast() {
      count -= 1
      if connection.since + Self.ageMax > now, Self.isQuiet(connection) { return connection }
      close(connection.descriptor)
    }
    idle[target] = nil
    return nil
  }

  func keep(_ descriptor: CInt, _ tls: TLSClient?, for target: DialTarget, at now: Instant) {
    guard count < Self.countMax else {
      close(descriptor)
      return
    }
    count += 1
    idle[target, default: []].append(Kept(descriptor: descriptor, tls: tls, since: now))
  }

  /// Returns whether the server has neither ended the connection nor sent anything unasked, e.g. a late 408, which would
  /// be read as the next answer. Over TLS the bytes may be a session ticket (RFC 8446 section 4.6.1).
  private static func isQuiet(_ connection: Kept) -> Bool {
    var byte: UInt8 = 0
    let count = recv(connection.descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
    return count < 0 ? errno == EAGAIN : count > 0 && connection.tls != nil
  }
}
