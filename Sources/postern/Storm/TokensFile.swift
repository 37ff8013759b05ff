import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewayServer
import GatewayWires

/// The description of a token endpoint that `--tokens` names: a file, or the name of a shipped one.
enum TokensFile {
  /// Reads the description. Throws a ``UsageError`` with the fault in the file and its place.
  ///
  /// - Parameters:
  ///   - value: The value of `--tokens`.
  ///   - secrets: The values of `--template-secret`.
  ///   - wireTaken: The names that the wire takes from messages before it requests a token.
  static func read(
    _ value: Arguments.Value, secrets: [Arguments.Value], wireTaken: [String]
  ) throws -> TokenDescription {
    do {
      return try TokenDescription(
        try DescriptionFile.read(ShippedFiles.tokens.path(value), of: value),
        secrets: try TemplateSecrets.read(secrets), wireTaken: wireTaken)
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
  }

  /// Returns the targets of the requests. Throws if a path needs an address that no flag names, or a TLS file is invalid.
  static func places(
    _ tokens: TokenDescription, below provider: StormAddress?, isInsecure: Bool
  ) throws -> [DialTarget] {
    let identity = tokens.tls.map {
      TLSIdentity(caPath: $0.ca, certificatePath: $0.certificate, keyPath: $0.key)
    }
    do {
      try identity?.check()
    } catch {
      throw UsageError("--tokens: \"tls\": \(error)")
    }
    return try tokens.places.map { place in
      guard var target = place.map({ DialTarget(host: $0.host, port: $0.port, isTLS: $0.isTLS) }) ?? provider?.target
      else { throw UsageError("--provider is needed: the description has paths, which stand below its address") }
      target.allowsUntrustedCertificate = isInsecure
      if target.isTLS { target.identity = identity }
      target.keepsConnections = tokens.keepsConnections
      return target
    }
  }
}
