internal import GatewayCore
internal import GatewayJSON

/// A partial update of a user: members to set, and names of members to remove.
struct StreamUserPatch: Sendable {
  private let change: StreamUserChange
  private let unset: Set<Name>
  private let revokesBefore: WallTime?
  /// Whether the revocation time is set or removed.
  let namesRevocation: Bool

  private static let revocation = "revoke_tokens_issued_before"

  /// Reads an element of the request's `users`. Only a server may set a role or a revocation.
  init(_ body: StreamBody, isServer: Bool) throws(StreamError) {
    let set = try body.object("set") ?? .empty
    unset = Set((try body.strings("unset") ?? []).map { Name($0) })
    change = try StreamUserChange(set, isFlat: true, mayNameRole: isServer)
    namesRevocation = set.has(Self.revocation) || unset.contains(Name(Self.revocation))
    revokesBefore = try set.date(Self.revocation)
    guard isServer || !namesRevocation else { throw .notAllowed("only a server may revoke tokens") }
  }

  /// Whether it revokes tokens.
  var revokes: Bool { revokesBefore != nil }

  func apply(to user: inout StreamUser) throws(GatewayError) {
    for name in unset {
      switch name {
      case "name": user.name = nil
      case "image": user.image = nil
      case "teams": user.teams = []
      case "language": user.language = ""
      case "custom": user.custom = [:]
      default:
        user.custom[name] = nil
        // Stream's libraries name custom members with the prefix `custom.`.
        if let inner = name.inCustom { user.custom[inner] = nil }
      }
    }
    if namesRevocation { user.revokesTokensIssuedBefore = revokesBefore }
    try change.apply(to: &user)
  }
}
