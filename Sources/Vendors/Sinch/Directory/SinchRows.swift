internal import GatewayCore
internal import GatewayKit

/// Which instances a user of an application has.
struct SinchUserRow: StoreValue {
  struct Held: Codable {
    var id: Name
    var device: Name
    /// As in the instance itself.
    var endsAt: WallTime?
  }

  /// Oldest first.
  var instances: [Held]

  /// When the last of them ends; nil if one does not.
  var endsAt: WallTime? {
    var last: WallTime?
    for held in instances {
      guard let end = held.endsAt else { return nil }
      last = last.map { max($0, end) } ?? end
    }
    return last
  }
}

/// A device that has, or had, an instance with an end.
struct SinchDeviceRow: StoreValue {
  /// Whether its registration was limited once: it stays so.
  var isLimited: Bool
  /// The instance that it has, or had until its end; nil if that was deleted.
  var instance: Name?
  var endsAt: WallTime
}

/// A nonce that was spent.
struct SinchNonceRow: StoreValue {
  var user: UserID
  var device: Name
}

/// The highest sequence number of a user's legacy signatures.
struct SinchSequenceRow: StoreValue {
  var number: UInt64
}

/// The wrong passwords in a row of one user name.
struct SinchPasswordRow: StoreValue {
  var user: UserID
  var wrong: Int
  var lockedUntil: WallTime?
}
