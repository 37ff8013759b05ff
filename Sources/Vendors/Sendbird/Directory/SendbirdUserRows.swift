internal import GatewayCore
internal import GatewayKit

/// The owner of a user's number: ann has 7, for instance.
struct SendbirdUserPlace: StoreValue {
  var number: Int64
  var id: UserID
}

/// A user who is no more, and when that was among all deletions: eve was the third, for instance.
struct SendbirdDeletedUser: StoreValue {
  var number: Int64
}

extension SendbirdUser {
  /// About how many bytes of memory its texts take.
  var bytes: Int {
    let lists = (discoveryKeys + preferredLanguages).reduce(0) { $0 + 32 + $1.utf8.count }
    let texts = id.rawValue.utf8.count + nickname.utf8.count + profileURL.utf8.count + phoneNumber.utf8.count
    return 100 + texts + lists + metadata.bytes
  }
}
