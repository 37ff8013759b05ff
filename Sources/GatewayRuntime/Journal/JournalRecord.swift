package import GatewayCore

/// One record of the journal's ring, 64 bytes: an event, its time and its user. Its number is its position.
struct JournalRecord: BitwiseCopyable {
  /// The ID for records without a connection. Connections' numbers begin at 1.
  static let noConnection = ConnectionID(loop: 0, serial: 0)

  let at: Instant
  let wallTime: WallTime
  let connection: ConnectionID
  let event: JournalEvent
  /// The number of the binding; 255 for none.
  let dialect: UInt8
  // In two parts, for which there is room just here.
  private let realHigh: UInt16
  /// The number of the user in the journal; 0 for none.
  let user: UInt32
  private let realLow: UInt32

  /// `realMicroseconds` of the network's time have passed since the journal began: nine years of them at most.
  init(
    at: Instant, wallTime: WallTime, realMicroseconds: UInt64, connection: ConnectionID, event: JournalEvent,
    user: UInt32, dialect: UInt8
  ) {
    (self.at, self.wallTime, self.connection, self.event) = (at, wallTime, connection, event)
    (self.user, self.dialect) = (user, dialect)
    realLow = UInt32(truncatingIfNeeded: realMicroseconds)
    realHigh = UInt16(truncatingIfNeeded: realMicroseconds >> 32)
  }

  var real: Duration { .microseconds(Int64(realHigh) << 32 | Int64(realLow)) }
}

/// A record for readers, with its names resolved.
package struct JournalLine: Hashable, Sendable {
  /// 1 for the first that the journal ever had, and from there without gaps.
  package var number: UInt64
  /// In the time of sessions, since the journal began.
  package var at: Duration
  /// The time since the journal began, by the network's clock, which no order moves.
  package var real: Duration
  package var wallTime: WallTime
  package var event: JournalEvent
  package var user: UserID?
  package var connection: ConnectionID?
  package var dialect: String?
  /// How clients of the wire format renew their tokens; nil if unknown.
  package var renewal: RefreshHabit.How?
  /// The method and pattern of the route, of an HTTP request that was answered.
  package var route: String?
  /// The word of the fault that took effect.
  package var fault: String?
  /// The name of the proxy's refusal, where the gateway behind it did not answer, of a signal's, or of why a question has no
  /// usable answer.
  package var failure: String?
  /// The target of a proxy to which its gateway sends a client.
  package var target: String?
  /// The name of the signal from outside.
  package var signal: String?
  /// The name of the application's server that was asked, and the result.
  package var endpoint: String?
  package var result: String?
  /// The token's remaining life after a login or refresh; nil for ever.
  package var expiresIn: Duration?
  /// The part of the message that may be shown, if it was asked for.
  package var payload: String?
}
