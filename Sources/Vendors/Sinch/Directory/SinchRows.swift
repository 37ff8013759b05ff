internal import GatewayCore
internal import GatewayKit

/// The instances of an application's user.
struct SinchUserRow: StoreValue {
  /// One of the user's instances.
  struct Held: Codable {
    var id: Name
    var device: Name
    /// The end, as in the instance itself.
    var endsAt: WallTime?
  }

  /// The instances, oldest first.
  var instances: [Held]

  /// The end of the last of them; nil if one has none.
  var endsAt: WallTime? {
    var last: WallTime?
    for held in instances {
      guard let end = held.endsAt else { return nil }
      last = last.map { max($0, end) } ?? end
    }
    return last
  }
}

/// A device whose instance has or had an end. A limited registration stays limited.
struct SinchDeviceRow: StoreValue {
  /// Whether its registration was ever limited.
  var isLimited: Bool
  /// Its instance, present or ended; nil if that was deleted.
  var instance: Name?
  var endsAt: WallTime
}

/// A used nonce, and its user and device.
struct SinchNonceRow: StoreValue {
  var user: UserID
  var device: Name
}

/// The highest sequence number of a user's legacy signatures.
struct SinchSequenceRow: StoreValue {
  var number: UInt64
}

/// The consecutive wrong passwords of one user name.
struct SinchPasswordRow: StoreValue {
  var user: UserID
  var wrong: Int
  var lockedUntil: WallTime?
}
