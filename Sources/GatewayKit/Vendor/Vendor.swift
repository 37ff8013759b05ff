package import GatewayCore

/// A vendor that a gateway simulates: its wire formats, its HTTP API and its state.
///
/// It is created on a ``Ground``, which exists before it. `Sources/Vendors` has one folder for each vendor.
package protocol Vendor: Sendable {
  /// The vendor's wire formats, e.g. one for video and one for chat.
  var bindings: [DialectBinding] { get }

  /// The issuers of its tokens for the built-in token provider, by the name of the scheme.
  var issuers: [String: any TokenIssuer] { get }

  /// Stores the vendor's initial state where there is none, and changes nothing that another process has. Called before
  /// anything listens.
  func prepare(at now: WallTime) async throws(GatewayError)

  /// Ends what `dead` lives of gateway processes left in the store, e.g. the calls of their connections, and starts what
  /// was due since. Called after ``prepare(at:)`` before anything listens, and again whenever another process is found
  /// dead. May be called more than once for the same lives, also by two processes at once.
  func takeOver(_ dead: DeadBoots, at now: WallTime) async throws(GatewayError)

  /// Receives a note that the vendor on another node sent by ``GatewayServices/tellOthers(_:)``, or another vendor's.
  func hear(_ note: VendorNote) async

  /// Forgets what such notes keep up to date, since some may have been lost.
  func missedNotes() async

  /// Stores the keys of `settings`, all or none. `settings` are the vendor's own with every file read again. Called
  /// before anything else has changed.
  func keepKeys(of settings: any VendorSettings, at now: WallTime) async throws(GatewayError)

  /// Returns a function that switches to the keys and secrets of `settings`, the vendor's own with every file read
  /// again. Sessions stay. Throws if `settings` are invalid. Nothing changes before the renewal is called.
  func renewal(by settings: any VendorSettings) throws -> KeyRenewal

  /// Returns the vendor's routes on the gateway's port.
  ///
  /// - Parameter provider: The gateway's token provider, which mints with the ``issuers`` of every vendor.
  func routes(with provider: TokenProvider) -> [HTTPRoute]

  /// Whether the operator chooses its routes' paths, which may then clash with other routes.
  var namesItsRoutes: Bool { get }

  /// The routes for operators, on the control port.
  var controlRoutes: [HTTPRoute] { get }

  /// The vendor's own metrics.
  var figures: [VendorFigure] { get async }
}

/// A change of keys that cannot fail any more. It may be called from any thread.
package typealias KeyRenewal = @Sendable () -> Void

// Defaults.

extension Vendor {
  package func keepKeys(of settings: any VendorSettings, at now: WallTime) async throws(GatewayError) {}
  package func renewal(by settings: any VendorSettings) throws -> KeyRenewal { {} }
  package func hear(_ note: VendorNote) async {}
  package func missedNotes() async {}
  package var issuers: [String: any TokenIssuer] { [:] }
  package func prepare(at now: WallTime) async throws(GatewayError) {}
  package func takeOver(_ dead: DeadBoots, at now: WallTime) async throws(GatewayError) {}
  package var namesItsRoutes: Bool { false }
  package var controlRoutes: [HTTPRoute] { [] }
  package var figures: [VendorFigure] { [] }
}

/// The settings with which a gateway simulates a vendor, e.g. the keys of its applications.
package protocol VendorSettings: Sendable {
  associatedtype Played: Vendor

  /// Returns the vendor with these settings. Throws if they contradict each other or the ground.
  func vendor(on ground: Ground) throws -> Played
}
