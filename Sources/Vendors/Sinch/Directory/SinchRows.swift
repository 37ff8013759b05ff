internal import GatewayCore
internal import GatewayKit

/// The instances that a user of an application has: of ann's phone and, older, of her tablet, for instance.
struct SinchUserRow: StoreValue {
  /// An instance that the user has: of the phone `d1`, until the end of next week, for instance.
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

/// A device that has, or had, an instance with an end: a phone whose registration was limited once, for instance, stays
/// so.
struct SinchDeviceRow: StoreValue {
  /// Whether its registration was limited once: it stays so.
  var isLimited: Bool
  /// The instance that it has, or had until its end; nil if that was deleted.
  var instance: Name?
  var endsAt: WallTime
}

/// A nonce that was spent, and by whom: ann's phone may present it again where the policy says `same-device`, for
/// instance.
struct SinchNonceRow: StoreValue {
  var user: UserID
  var device: Name
}

/// The highest sequence number of a user's legacy signatures: with 17 spent, 17 is refused and 18 is taken, for
/// instance.
struct SinchSequenceRow: StoreValue {
  var number: UInt64
}

/// The wrong passwords in a row of one user name: the third locks the account for a while, for instance.
struct SinchPasswordRow: StoreValue {
  var user: UserID
  var wrong: Int
  var lockedUntil: WallTime?
}
