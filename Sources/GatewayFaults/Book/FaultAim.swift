package import GatewayCore

/// The aim of a fault: the users and connections that it affects. An empty aim affects all.
package struct FaultAim: Hashable, Sendable {
  /// The share of users, in 0...1. It is the same users in every run with the same seed.
  package var share: Double?
  package var kind: UserKind?
  package var users: Set<UserID>?
  /// The name of the wire format.
  package var dialect: Name?
  /// The limit on the remaining life of a user's token; only users below it are affected.
  package var expiringWithin: Duration?
  /// The only affected connection, by its number in the sequence of connections opened after the order, from 1.
  package var connection: UInt64?

  package init() {}

  static let members = ["share", "kind", "users", "dialect", "expiring_within_s", "connection"]
  private static let usersMax: Int = 10_000

  init(_ fields: FaultFields) throws(GatewayError) {
    try fields.refuseStrangers(Self.members)
    share = try fields.number("share", in: 0...1)
    kind = try fields.word("kind")
    users = try fields.texts("users", count: Self.usersMax).map {
      Set($0.map { UserID($0) })
    }
    dialect = try fields.text("dialect", bytes: FaultFields.nameLengthMax).map { Name($0) }
    expiringWithin = try fields.seconds("expiring_within_s")
    connection = try fields.whole("connection", in: 1...Int64.max).map { UInt64($0) }
  }

  /// Whether it applies only to users whose names are known.
  package var isOfUsers: Bool { share != nil || kind != nil || users != nil || expiringWithin != nil }

  /// Returns whether it affects `subject`, with that seed. Connections are counted from `first`.
  func takesIn(_ subject: FaultSubject, seed: UInt64, first: UInt64) -> Bool {
    if let dialect, subject.dialect != dialect { return false }
    if let connection {
      guard let number = subject.connection, number > first, number - first == connection else { return false }
    }
    guard isOfUsers else { return true }
    guard let user = subject.user else { return false }
    if let kind, subject.kind != kind { return false }
    if let users, !users.contains(user) { return false }
    if let expiringWithin {
      guard let left = subject.expiresIn, left <= expiringWithin else { return false }
    }
    guard let share else { return true }
    return Self.chance(of: user, seed) < share
  }

  /// Returns the user's number in 0..<1, which the seed decides.
  static func chance(of user: UserID, _ seed: UInt64) -> Double {
    // FNV-1a over the name's bytes, then mixed.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in user.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var generator = SeededGenerator(seed: hash ^ seed)
    return generator.nextShare()
  }
}

/// The user and connection of an occurrence, as far as they are known.
package struct FaultSubject: Hashable, Sendable {
  package var user: UserID?
  package var kind: UserKind?
  package var dialect: Name?
  package var expiresIn: Duration?
  /// The number of the connection in the sequence of opened connections, from 1; nil if there is none.
  package var connection: UInt64?

  package init(
    user: UserID? = nil, kind: UserKind? = nil, dialect: Name? = nil, expiresIn: Duration? = nil,
    connection: UInt64? = nil
  ) {
    self.user = user
    self.kind = kind
    self.dialect = dialect
    self.expiresIn = expiresIn
    self.connection = connection
  }
}
