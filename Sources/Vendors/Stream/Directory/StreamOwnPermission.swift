package import GatewayCore
internal import GatewayKit

/// A permission of the application's own making: `end-own-call`, say, for the action `EndCall`.
package struct StreamOwnPermission: Hashable, Codable, Sendable {
  package let id: Name
  package var name: String
  package var action: String
  package var about: String
  /// Whether it is for who made the call only.
  package var isOwners: Bool
  package var isSameTeam: Bool
  /// Of whom it holds, as JSON text; nil for everybody.
  package var condition: String?
  /// The built-in permission that it gives as much as; nil where it gives nothing here.
  package var meaning: String?

  package init(
    id: Name, name: String, action: String, about: String, isOwners: Bool, isSameTeam: Bool, condition: String?,
    meaning: String?
  ) {
    self.id = id
    self.name = name
    self.action = action
    self.about = about
    self.isOwners = isOwners
    self.isSameTeam = isSameTeam
    self.condition = condition
    self.meaning = meaning
  }
}

/// The permissions of the application's own, all of them in one row, so that who changes what is granted, `pin-user`
/// for instance, sees them as they are.
struct StreamOwnPermissions: StoreValue {
  /// In the order of their ids.
  var list: [StreamOwnPermission] = []

  /// The built-in permissions that those of `grants` give as much as, by the id of the application's own.
  func meanings(in grants: [Name: [String]]) -> [Name: String] {
    guard !list.isEmpty else { return [:] }
    let granted = Set(grants.values.joined().map { Name($0) })
    return list.reduce(into: [:]) { meanings, permission in
      if granted.contains(permission.id) { meanings[permission.id] = permission.meaning }
    }
  }
}
