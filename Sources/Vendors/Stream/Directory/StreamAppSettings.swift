internal import GatewayCore
internal import GatewayKit

/// The settings of a whole Stream application.
struct StreamAppSettings: Hashable, Sendable {
  /// Tokens issued before this time are revoked, and so are tokens without an issue date.
  var revokesTokensIssuedBefore: WallTime?
  var disablesGuestCreation = false
  /// Whether unsigned development tokens are accepted.
  var disablesAuthChecks = false
  var eventHooks = StreamEventHooks()
}

/// The settings that a server has set. The gateway's flags decide the others.
struct StreamAppChange: Hashable, StoreValue {
  /// Whether the revocation time is set or removed.
  var namesRevocation = false
  var revokesTokensIssuedBefore: WallTime?
  var disablesGuestCreation: Bool?
  var disablesAuthChecks: Bool?
  /// All hooks; nil if they stay.
  var eventHooks: StreamEventHooks?

  /// Merges a later change into this one.
  mutating func add(_ later: StreamAppChange) {
    if later.namesRevocation {
      namesRevocation = true
      revokesTokensIssuedBefore = later.revokesTokensIssuedBefore
    }
    disablesGuestCreation = later.disablesGuestCreation ?? disablesGuestCreation
    disablesAuthChecks = later.disablesAuthChecks ?? disablesAuthChecks
    eventHooks = later.eventHooks ?? eventHooks
  }

  /// Returns the settings with this change.
  func applied(to settings: StreamAppSettings) -> StreamAppSettings {
    var settings = settings
    if namesRevocation { settings.revokesTokensIssuedBefore = revokesTokensIssuedBefore }
    if let disablesGuestCreation { settings.disablesGuestCreation = disablesGuestCreation }
    if let disablesAuthChecks { settings.disablesAuthChecks = disablesAuthChecks }
    if let eventHooks { settings.eventHooks = eventHooks }
    return settings
  }
}
