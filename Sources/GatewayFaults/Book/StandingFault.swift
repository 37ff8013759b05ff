package import GatewayCore

/// A fault that was ordered, and how often it has taken effect.
///
/// `@unchecked Sendable`: used only on the gateway's loop.
package final class StandingFault: @unchecked Sendable {
  /// The number, 1 for the first fault of the gateway. Numbers are never used again.
  package let number: UInt32
  package let order: FaultOrder
  /// The beginning and the end, in the time of sessions.
  package let begins: Instant
  package let ends: Instant
  /// The beginning, as a time of day.
  package let beginsAt: WallTime
  /// The number of times that it has taken effect.
  package private(set) var count = 0
  /// The number of times that it could have taken effect.
  private var occurrences = 0
  /// The number of connections that were opened before it was ordered.
  private let firstConnection: UInt64
  private let seed: UInt64
  /// The connections and users that had the event that it follows.
  private var connections: Set<ConnectionID> = []
  private var users: Set<UserID> = []

  private static let usersMax = 100_000

  init(
    _ number: UInt32, _ order: FaultOrder, at now: Instant, _ wallNow: WallTime, seed: UInt64, connections: UInt64
  ) {
    self.number = number
    self.order = order
    let begins = now + (order.moment.delay ?? .zero)
    self.begins = begins
    beginsAt = wallNow + (begins - now)
    ends = order.duration.map { begins + $0 } ?? .distantFuture
    firstConnection = connections
    self.seed = order.seed ?? seed
  }

  package var word: String { type(of: order.fault).word }

  /// Returns whether it will have no further effect.
  package func isOver(at now: Instant) -> Bool { now >= ends || count >= order.times ?? .max }

  /// Returns whether a token was issued before the fault began. A time of issue in whole seconds is compared by the
  /// second, so a token of the same second counts as issued after.
  package func isYounger(than issuedAt: WallTime) -> Bool {
    let second: Int64 = 1_000_000_000
    guard issuedAt.nanoseconds % second == 0 else { return issuedAt < beginsAt }
    return issuedAt.nanoseconds / second < beginsAt.nanoseconds / second
  }

  /// Notes that a connection or user had the event that the fault follows.
  func note(_ connection: ConnectionID?, _ user: UserID?) {
    if let connection { connections.insert(connection) }
    if let user, users.count < Self.usersMax { users.insert(user) }
  }

  func forget(_ connection: ConnectionID) { connections.remove(connection) }

  /// Returns whether it would affect `subject` if something occurred now.
  func threatens(_ subject: FaultSubject, _ connection: ConnectionID?, at now: Instant) -> Bool {
    mayBefall(subject, connection, at: now) && occurrences + 1 >= order.moment.occurrence
  }

  private func mayBefall(_ subject: FaultSubject, _ connection: ConnectionID?, at now: Instant) -> Bool {
    now >= begins && !isOver(at: now) && hasLived(subject, connection)
      && order.aim.takesIn(subject, seed: seed, first: firstConnection)
  }

  /// Returns whether it affects `subject` at this occurrence. Counts the effect if it does.
  func befalls(_ subject: FaultSubject, _ connection: ConnectionID?, at now: Instant) -> Bool {
    guard mayBefall(subject, connection, at: now) else { return false }
    occurrences += 1
    guard occurrences >= order.moment.occurrence else { return false }
    count += 1
    return true
  }

  private func hasLived(_ subject: FaultSubject, _ connection: ConnectionID?) -> Bool {
    guard order.moment.event != nil else { return true }
    return connection.map(connections.contains) ?? false || subject.user.map(users.contains) ?? false
  }
}
