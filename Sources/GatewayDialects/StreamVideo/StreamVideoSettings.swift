internal import GatewayCore

/// How a gateway plays Stream.
package struct StreamVideoSettings: Sendable {
  package var applications: StreamApplications
  /// How far `exp`, `nbf` and `iat` of tokens may be off.
  package var leeway = Duration.zero

  package init(applications: StreamApplications) {
    self.applications = applications
  }
}
