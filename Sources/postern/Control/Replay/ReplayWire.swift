import GatewayCore
import GatewayKit

/// A wire for a replay, with the vendor that defines it.
struct ReplayWire {
  /// The wire of lines that name none.
  static let usual = "plain"

  let vendor: any OfferedVendor.Type
  /// Whether the whole content of an upgrade request is known: the vendor's own clients speak this very wire.
  let carries: Bool

  /// Finds the vendor of a wire; nil if there is none.
  init?(_ dialect: String) {
    // A vendor may have several wires whose names begin with its own.
    guard
      let vendor = Vendors.all.first(where: { Name($0.scheme) == Name(dialect) })
        ?? Vendors.all.first(where: { dialect.utf8.starts(with: $0.scheme.utf8) })
    else { return nil }
    self.vendor = vendor
    carries = Name(vendor.scheme) == Name(dialect)
  }

  /// Returns a client's upgrade request. `token` is nil if the client presented none, or presents it in a message.
  func upgrade(
    at path: String, user: String?, token: String?, number: UInt64, now: WallTime
  ) throws -> ClientUpgrade {
    let client = try vendor.clients.dialect(ClientChoice(), Arguments(flags: []))
    var identity = ClientIdentity(user: UserID(user ?? "somebody"), number: number, now: now)
    let bare = client.upgrade(of: identity)
    identity.token = token.map { Credentials(token: $0) }
    var upgrade = client.upgrade(of: identity)
    // If the vendor's clients put no token in the upgrade, it goes into the Authorization header (RFC 6750 section 2.1).
    if let token, upgrade == bare { upgrade.request.headers.append(HTTPField("authorization", "Bearer \(token)")) }
    if !carries { upgrade.request.path = path }
    return upgrade
  }
}
