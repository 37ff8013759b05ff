internal import GatewayCore

/// A client of a recording, from its first connection to the end of its last.
///
/// A connection is of the same client as another if both show the same user, or the same token, and if it was opened at most
/// 60 s after the end of the other. Connections of one user at one time are several clients, e.g. two tabs.
struct Visit {
  /// When it came: when it asked for its first token, or opened its connection. Nil if that was before the recording.
  private(set) var arrivedAt: Int64?
  private(set) var loggedInAt: Int64?
  /// Nil if it had not left when the recording ended.
  var leftAt: Int64?
  let wire: Int?
  private(set) var life: Int64?
  private(set) var connections = 1
  private var lastAt: Int64

  /// A client that is away for longer is another one, in milliseconds.
  static let returnMax: Int64 = 60_000
  /// How long the end of a connection may come after the start of the next one of the same client.
  private static let overlapMax: Int64 = 5_000
  /// The most clients of one user that are still present, or have left a short time ago.
  private static let nearMax = 64

  private init(_ connection: Traffic.Connection) {
    let opened = connection.openedAt
    let asked = connection.askedAt.flatMap { asked in
      opened.flatMap { asked < $0 && $0 - asked <= Self.returnMax ? asked : nil }
    }
    arrivedAt = asked ?? opened
    (loggedInAt, leftAt, lastAt) = (connection.loggedInAt, connection.endedAt, connection.lastAt)
    (wire, life) = (connection.wire, connection.life)
  }

  /// Returns the clients of a recording, in the order of their first lines.
  static func all(of traffic: Traffic) -> [Visit] {
    var visits: [Visit] = []
    var places: [Name: [Int]] = [:]
    for connection in traffic.connections.sorted(by: { ($0.openedAt ?? $0.seenAt) < ($1.openedAt ?? $1.seenAt) }) {
      guard let key = connection.user.map({ Name("u" + $0.text) }) ?? connection.token.map({ Name("t" + $0.text) })
      else {
        visits.append(Visit(connection))
        continue
      }
      let at = connection.openedAt ?? connection.seenAt
      let near = (places[key] ?? []).filter { visits[$0].isNear(at, hasEnds: !traffic.isHAR) }
      let last = near.filter { visits[$0].mayReturn(at, hasEnds: !traffic.isHAR) }.max { one, other in
        (visits[one].leftAt ?? visits[one].lastAt) < (visits[other].leftAt ?? visits[other].lastAt)
      }
      if let last {
        visits[last].join(connection)
        places[key] = near
      } else {
        places[key] = near.suffix(nearMax - 1) + [visits.count]
        visits.append(Visit(connection))
      }
    }
    return visits
  }

  /// Returns whether the client was present at a time, or had left a short time before. In a HAR file no connection ends.
  private func isNear(_ at: Int64, hasEnds: Bool) -> Bool {
    !hasEnds || leftAt.map { at - $0 <= Self.returnMax } ?? true
  }

  private func mayReturn(_ at: Int64, hasEnds: Bool) -> Bool {
    guard hasEnds else { return lastAt <= at }
    return leftAt.map { $0 - at <= Self.overlapMax } ?? false
  }

  private mutating func join(_ connection: Traffic.Connection) {
    connections += 1
    if loggedInAt == nil { loggedInAt = connection.loggedInAt }
    if life == nil { life = connection.life }
    leftAt = leftAt.flatMap { left in connection.endedAt.map { max(left, $0) } }
    lastAt = max(lastAt, connection.lastAt)
  }
}
