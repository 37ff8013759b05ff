internal import GatewayCore
internal import GatewayKit

/// The row that finds a user by number.
struct SendbirdUserPlace: StoreValue {
  var number: Int64
  var id: UserID
}

/// The record of a deleted user, with its number among all deletions.
struct SendbirdDeletedUser: StoreValue {
  var number: Int64
  /// Nil in rows of earlier versions.
  var at: WallTime?
}

extension SendbirdUser {
  /// The approximate number of bytes of its texts in memory.
  var bytes: Int {
    let lists = (discoveryKeys + preferredLanguages).reduce(0) { $0 + 32 + $1.utf8.count }
    let texts = id.rawValue.utf8.count + nickname.utf8.count + profileURL.utf8.count + phoneNumber.utf8.count
    return 100 + texts + lists + metadata.bytes
  }
}
