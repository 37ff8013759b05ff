import GatewayKit
import GatewayRuntime
import GatewayServer

/// The flags of `postern serve` for TLS with the application's own servers.
struct IdentityTLSDraft: Sendable {
  private var authorities: Arguments.Value?
  private var certificate: Arguments.Value?
  private var key: Arguments.Value?

  @OptionList<IdentityTLSDraft>
  static var options: [Option<IdentityTLSDraft>] {
    Option(
      "identity-ca", "FILE",
      "the authorities of the certificates of the application's own servers, PEM (default: those of the system)",
      \.authorities, .asGiven)
    Option(
      "identity-certificate", "FILE", "the certificate that the application's own servers are shown, PEM",
      \.certificate, .asGiven)
    Option("identity-key", "FILE", "the private key of that certificate, PEM", \.key, .asGiven)
  }

  /// The first of its flags that is given; nil if none is.
  var firstFlag: String? {
    [("identity-ca", authorities), ("identity-certificate", certificate), ("identity-key", key)]
      .first { $0.1 != nil }?.0
  }

  /// Returns the files, which can be used; nil for the system's files.
  func identity() throws -> TLSIdentity? {
    guard (certificate == nil) == (key == nil) else {
      throw UsageError("--identity-certificate and --identity-key are given together, or neither")
    }
    guard firstFlag != nil else { return nil }
    if let authorities { try check(TLSIdentity(caPath: authorities.text), authorities) }
    let all = TLSIdentity(caPath: authorities?.text, certificatePath: certificate?.text, keyPath: key?.text)
    if let certificate { try check(all, certificate) }
    return all
  }

  private func check(_ identity: TLSIdentity, _ value: Arguments.Value) throws {
    do throws(ServerError) {
      try identity.check()
    } catch {
      throw UsageError("\(value.source): \(error)")
    }
  }
}
