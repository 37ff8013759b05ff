/// The answer to `POST /reload`: whether the keys, and the certificate, were read again.
package struct ReloadAnswer: Codable, Hashable, Sendable {
  /// The outcome for one part: all keys and secrets, or the certificate.
  package struct Part: Codable, Hashable, Sendable {
    package enum Result: String, Codable, Sendable {
      case reloaded
      /// The old ones stay in use.
      case kept
    }

    package let result: Result
    /// The flags whose files were read again; nil if the old ones were kept.
    package let files: [String]?
    /// Why the old ones were kept, without any content of a file; nil if they were not.
    package let error: String?

    package static func reloaded(_ files: [String]) -> Part { Part(result: .reloaded, files: files, error: nil) }

    /// Truncates the error, since the name of a file may be of any length.
    package static func kept(_ error: String) -> Part {
      Part(result: .kept, files: nil, error: String(error.prefix(errorLengthMax)))
    }

    private static let errorLengthMax = 4096
  }

  package let keys: Part
  /// Nil for a gateway without TLS.
  package let certificate: Part?

  package init(keys: Part, certificate: Part?) {
    self.keys = keys
    self.certificate = certificate
  }

  /// Whether an old key, secret or certificate stays in use because of an error.
  package var hasKept: Bool { [keys, certificate].contains { $0?.result == .kept } }
}
