internal import GatewayCore
internal import GatewayKit

/// A record that a server stores here and reads again.
struct StreamRecord: Hashable, StoreValue {
  /// The kind of a record.
  enum Kind: String, Codable, Sendable {
    /// A destination for recordings.
    case storage
    /// A SIP trunk.
    case trunk
    /// A routing rule for a trunk's calls.
    case rule
    /// The text of a push notification.
    case template

    /// The maximum number of records of the kind.
    var countMax: Int { self == .template ? 500 : 100 }
  }

  /// Its name or generated id; of a template the provider's type and name, and the event.
  let id: [String]
  let createdAt: WallTime
  var updatedAt: WallTime
  /// Its properties: values as JSON text by name.
  var members: StreamCustom = [:]

  init(_ id: [String], createdAt: WallTime, members: StreamCustom) {
    self.id = id
    self.createdAt = createdAt
    updatedAt = createdAt
    self.members = members
  }
}
