package import GatewayCore

/// A fault that has been ordered, and how often it has befallen somebody: number 3, for instance, which drops a reply.
///
/// `@unchecked Sendable`: touched only on the gateway's loop.
package final class StandingFault: @unchecked Sendable {
  /// 1 for the first that the gateway was ordered to have, and never given again.
  package let number: UInt32
  package let order: FaultOrder
  /// When it begins, and when it ends by itself; in the time of sessions.
  package let begins: Instant
  package let ends: Instant
  /// When it begins, in the time of day.
  package let beginsAt: WallTime
  /// How often it has befallen somebody.
  package private(set) var count = 0
  /// How often it might have.
  private var occurrences = 0
  /// How many connections had opened when it was ordered.
  private let firstConnection: UInt64
  private let seed: UInt64
  /// Who has lived through the event that it follows.
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

  /// Whether it will befall nobody any more.
  package func isOver(at now: Instant) -> Bool { now >= ends || count >= order.times ?? .max }

  /// Whether a token was issued before it began. One that says when in whole seconds has the benefit of its second.
  package func isYounger(than issuedAt: WallTime) -> Bool {
    let second: Int64 = 1_000_000_000
    guard issuedAt.nanoseconds % second == 0 else { return issuedAt < beginsAt }
    return issuedAt.nanoseconds / second < beginsAt.nanoseconds / second
  }

  /// Somebody has lived through an event, which may be the one that it follows.
  func note(_ connection: ConnectionID?, _ user: UserID?) {
    if let connection { connections.insert(connection) }
    if let user, users.count < Self.usersMax { users.insert(user) }
  }

  func forget(_ connection: ConnectionID) { connections.remove(connection) }

  /// Whether it befalls `subject` if something occurs now.
  func threatens(_ subject: FaultSubject, _ connection: ConnectionID?, at now: Instant) -> Bool {
    mayBefall(subject, connection, at: now) && occurrences + 1 >= order.moment.occurrence
  }

  private func mayBefall(_ subject: FaultSubject, _ connection: ConnectionID?, at now: Instant) -> Bool {
    now >= begins && !isOver(at: now) && hasLived(subject, connection)
      && order.aim.takesIn(subject, seed: seed, first: firstConnection)
  }

  /// Whether it befalls `subject` at this occurrence, which counts if it does.
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
