package import GatewayCore

/// The choices for a storm's clients that several vendors have: the SDK, the application, the provider's credential.
package struct ClientChoice: Sendable {
  private let sdk: Arguments.Value?
  package let application: String?
  package let providerSecret: Credentials?

  package init(sdk: Arguments.Value? = nil, application: String? = nil, providerSecret: Credentials? = nil) {
    self.sdk = sdk
    self.application = application
    self.providerSecret = providerSecret
  }

  /// Returns the chosen SDK; nil if none is chosen. Throws if the vendor has no such SDK.
  package func sdk<SDK: RawRepresentable<String> & CaseIterable>(of _: SDK.Type) throws -> SDK? {
    try sdk?.choice()
  }
}
