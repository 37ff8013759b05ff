package import GatewayCore
internal import GatewayKit

/// The settings of a whole Stream application: that nobody may make guests, for instance.
package struct StreamAppSettings: Hashable, Sendable {
  /// Tokens issued before this are good no more, nor are those without an issue date.
  package var revokesTokensIssuedBefore: WallTime?
  package var disablesGuestCreation = false
  /// Whether development tokens, which nobody signed, are accepted.
  package var disablesAuthChecks = false

  package init() {}
}

/// The settings that a server has named, that nobody may make guests for instance: what it has not named is as the
/// gateway's flags have it.
package struct StreamAppChange: Hashable, StoreValue {
  /// Whether the time before which tokens are revoked is set or taken away.
  package var namesRevocation = false
  package var revokesTokensIssuedBefore: WallTime?
  package var disablesGuestCreation: Bool?
  package var disablesAuthChecks: Bool?

  package init() {}

  /// Adds what was said later.
  mutating func add(_ later: StreamAppChange) {
    if later.namesRevocation {
      namesRevocation = true
      revokesTokensIssuedBefore = later.revokesTokensIssuedBefore
    }
    disablesGuestCreation = later.disablesGuestCreation ?? disablesGuestCreation
    disablesAuthChecks = later.disablesAuthChecks ?? disablesAuthChecks
  }

  /// The settings with this change.
  func applied(to settings: StreamAppSettings) -> StreamAppSettings {
    var settings = settings
    if namesRevocation { settings.revokesTokensIssuedBefore = revokesTokensIssuedBefore }
    if let disablesGuestCreation { settings.disablesGuestCreation = disablesGuestCreation }
    if let disablesAuthChecks { settings.disablesAuthChecks = disablesAuthChecks }
    return settings
  }
}
