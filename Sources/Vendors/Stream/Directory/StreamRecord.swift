package import GatewayCore
internal import GatewayKit

/// Something that a server keeps here of its application and asks for again: an external storage, for instance.
package struct StreamRecord: Hashable, StoreValue {
  /// The kind of a record: a storage, for instance.
  package enum Kind: String, Codable, Sendable {
    /// Where recordings would be put.
    case storage
    /// A line by which telephones would come in.
    case trunk
    /// Where its calls would lead to.
    case rule
    /// What a push notification would say.
    case template

    /// The most there are of it.
    package var countMax: Int { self == .template ? 500 : 100 }
  }

  /// Its name, or what it was given for one; of a template the provider's kind and name, and the event.
  package let id: [String]
  package let createdAt: WallTime
  package var updatedAt: WallTime
  /// What it is made of: the value as JSON text, by its name.
  package var members: StreamCustom = [:]

  package init(_ id: [String], createdAt: WallTime, members: StreamCustom) {
    self.id = id
    self.createdAt = createdAt
    updatedAt = createdAt
    self.members = members
  }
}
