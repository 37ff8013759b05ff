internal import GatewayCore
package import GatewayTokens

/// Keeps files that come in requests, and says where they are served.
package struct SendbirdStorage: Sendable {
  static let path = "/v3/storage/file"

  let files: SendbirdFiles
  /// Whether clients reach the gateway over TLS.
  private let isSecure: Bool
  private let secrets: Secrets

  package init(_ files: SendbirdFiles, isSecure: Bool, secrets: Secrets) {
    self.files = files
    self.isSecure = isSecure
    self.secrets = secrets
  }

  /// A file that was kept.
  struct Kept: Sendable {
    let file: SendbirdFile
    let url: String
  }

  /// The file of that name in the request's form, kept; nil if there is none.
  func keep(
    _ name: String, of request: SendbirdRequest, at now: WallTime
  ) async throws(SendbirdError) -> Kept? {
    guard let part = request.form?.file(name) else { return nil }
    let name = part.fileName ?? ""
    guard name.unicodeScalars.count <= SendbirdLimits.fileName else {
      throw .tooLong("file", max: SendbirdLimits.fileName)
    }
    let file = SendbirdFile(
      id: Base64URL.encode(secrets.bytes(18)), name: name, type: Self.isMediaType(part.type) ? part.type : "",
      owner: request.actor(nil), createdAt: now, bytes: part.bytes)
    do throws(GatewayError) {
      try await files.keep(file, at: now)
    } catch {
      throw error.isSame(as: .tooMany) ? Self.tooLarge : SendbirdError(error)
    }
    return Kept(file: file, url: url(of: file, request.http))
  }

  private static let tooLarge = SendbirdError(400_110, "The file is larger than all files may be together.")

  /// Where the file is served: at the host that was asked, or below its root where the request names none.
  private func url(of file: SendbirdFile, _ request: HTTPRequest) -> String {
    let name = file.name.isEmpty ? "file" : PercentEncoding.encode(file.name)
    let root = request.host.map { "http\(isSecure ? "s" : "")://\($0)" } ?? ""
    return "\(root)\(Self.path)/\(file.id)/\(name)"
  }

  /// Whether the text may stand in a header as a media type (RFC 9110 section 8.3.1), with or without parameters.
  private static func isMediaType(_ text: String) -> Bool {
    (3...200).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: "/"))
      && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
