package import GatewayCore

/// A vendor as one gateway plays it: `PlainVendor`, for instance, with its wire formats, its HTTP side and what it remembers.
///
/// Made on a ``Ground`` that is there before it. `Sources/Vendors` has one folder for each.
package protocol Vendor: Sendable {
  /// Its wire formats: one for video and one for chat, say.
  var bindings: [DialectBinding] { get }

  /// Who mints its tokens for the built-in token provider, by the name of the scheme.
  var issuers: [String: any TokenIssuer] { get }

  /// Puts what it remembers from the start where it remembers. Before anything listens.
  func prepare(at now: WallTime) async throws(GatewayError)

  /// Puts the keys of `settings`, its own with every file read anew, where it remembers, all or none. Nothing else has
  /// changed by then.
  func keepKeys(of settings: any VendorSettings, at now: WallTime) async throws(GatewayError)

  /// What has it go by the keys and secrets of `settings`, its own with every file read anew; sessions stay. Throws what
  /// is wrong with them. Nothing changes before the renewal is called.
  func renewal(by settings: any VendorSettings) throws -> KeyRenewal

  /// What it answers on the gateway's port.
  ///
  /// - Parameter provider: The gateway's token provider, which mints with the ``issuers`` of every vendor.
  func routes(with provider: TokenProvider) -> [HTTPRoute]

  /// Whether a person names its routes, who may name those of others.
  var namesItsRoutes: Bool { get }

  /// What an operator may ask of it, on the control port.
  var controlRoutes: [HTTPRoute] { get }

  /// What it counts of its own.
  var figures: [VendorFigure] { get async }
}

/// A change of keys that cannot fail any more. From any thread.
package typealias KeyRenewal = @Sendable () -> Void

// What holds for a vendor that says nothing else.

extension Vendor {
  package func keepKeys(of settings: any VendorSettings, at now: WallTime) async throws(GatewayError) {}
  package func renewal(by settings: any VendorSettings) throws -> KeyRenewal { {} }
  package var issuers: [String: any TokenIssuer] { [:] }
  package func prepare(at now: WallTime) async throws(GatewayError) {}
  package var namesItsRoutes: Bool { false }
  package var controlRoutes: [HTTPRoute] { [] }
  package var figures: [VendorFigure] { [] }
}

/// The settings that a vendor is to be played with: the keys of its applications, say, and which tokens it takes.
package protocol VendorSettings: Sendable {
  associatedtype Played: Vendor

  /// The vendor with these settings. Throws if they contradict each other or the ground.
  func vendor(on ground: Ground) throws -> Played
}
