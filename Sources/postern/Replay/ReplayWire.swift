import GatewayCore
import GatewayKit

/// A wire on which a journal is played, of its vendor.
struct ReplayWire {
  /// The wire of lines that name none.
  static let usual = "plain"

  let vendor: any OfferedVendor.Type
  /// Whether all that an upgrade request says is known: where the vendor's own clients speak that very wire.
  let carries: Bool

  /// Nil for a wire of nobody's.
  init?(_ dialect: String) {
    // One vendor may have several that begin with the same word.
    guard
      let vendor = Vendors.all.first(where: { Name($0.scheme) == Name(dialect) })
        ?? Vendors.all.first(where: { dialect.utf8.starts(with: $0.scheme.utf8) })
    else { return nil }
    self.vendor = vendor
    carries = Name(vendor.scheme) == Name(dialect)
  }

  /// The upgrade request of a client; without a token where it showed none, or shows it in a message.
  func upgrade(
    at path: String, user: String?, token: String?, number: UInt64, now: WallTime
  ) throws -> ClientUpgrade {
    let flags = ["sdk", "application"].map { Flag($0, "TEXT", "") } + vendor.clients.flags
    let client = try vendor.clients.dialect(Arguments(flags: flags), providerSecret: nil)
    var identity = ClientIdentity(user: UserID(user ?? "somebody"), number: number, now: now)
    let bare = client.upgrade(of: identity)
    identity.token = token.map { Credentials(token: $0) }
    var upgrade = client.upgrade(of: identity)
    // Clients of wires without a place for it there put it here (RFC 6750 section 2.1).
    if let token, upgrade == bare { upgrade.request.headers.append(HTTPField("authorization", "Bearer \(token)")) }
    if !carries { upgrade.request.path = path }
    return upgrade
  }
}
