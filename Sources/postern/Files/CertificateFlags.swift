import GatewayKit
import GatewayServer

/// A certificate and its private key, as two flags name them.
struct CertificateFlags: Sendable {
  var certificate: Arguments.Value?
  var key: Arguments.Value?

  private static let sizeMax = 1 << 20

  /// Returns the files; nil if no flag names them. Throws if one is missing or unreadable.
  ///
  /// Only the listener checks the files' contents: when it starts, and when it reloads them.
  ///
  /// - Parameter prefix: The beginning of the names of the two flags.
  func files(_ prefix: String) throws -> TLSFiles? {
    switch (certificate, key) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      for file in [certificate, key] { _ = try InputFile.read(file.text, of: file, sizeMax: Self.sizeMax) }
      return TLSFiles(certificatePath: certificate.text, keyPath: key.text)
    default: throw UsageError("--\(prefix)-certificate and --\(prefix)-key are given together, or neither")
    }
  }
}
