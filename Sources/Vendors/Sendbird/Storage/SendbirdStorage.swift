internal import GatewayCore
internal import GatewayTokens

/// A storage of uploaded files, which also returns their URLs.
struct SendbirdStorage: Sendable {
  static let path = "/v3/storage/file"
  /// The resources that accept files.
  static let uploads: Set<String> = [
    "POST \(path)", "POST /v3/users", "PUT /v3/users/{user_id}", "POST /v3/group_channels", "POST /v3/open_channels",
    "PUT /v3/group_channels/{channel_url}", "PUT /v3/open_channels/{channel_url}",
    "POST /v3/group_channels/{channel_url}/messages", "POST /v3/open_channels/{channel_url}/messages",
    "POST /v3/bots/{bot_userid}/send",
  ]

  let files: SendbirdFiles
  /// Whether clients use TLS to the gateway.
  private let isSecure: Bool
  private let secrets: Secrets

  init(_ files: SendbirdFiles, isSecure: Bool, secrets: Secrets) {
    self.files = files
    self.isSecure = isSecure
    self.secrets = secrets
  }

  /// A stored file.
  struct Kept: Sendable {
    let file: SendbirdFile
    let url: String
    /// The requested thumbnails of a picture.
    let thumbnails: [SendbirdThumbnail]
  }

  /// Stores the file with that name in the request's form; returns nil if there is none.
  func keep(
    _ name: String, of request: SendbirdRequest, at now: WallTime
  ) async throws(SendbirdError) -> Kept? {
    guard let form = request.form, let part = form.file(name) else { return nil }
    let wanted = try Self.sizes(form)
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
    let url = url(of: file, request.http)
    return Kept(file: file, url: url, thumbnails: Self.thumbnails(of: part, at: url, wanted))
  }

  /// Reads the sizes of thumbnails: `thumbnail1`, `thumbnail2` and so on have the form `100,100`.
  private static func sizes(_ form: SendbirdForm) throws(SendbirdError) -> [(width: Int64, height: Int64)] {
    var sizes: [(Int64, Int64)] = []
    for number in 1...SendbirdLimits.thumbnails {
      guard let text = form.text("thumbnail\(number)"), !text.isEmpty else { continue }
      let sides = text.split(separator: ",", omittingEmptySubsequences: false).map { side in
        Int64(String(side.drop { $0 == " " }))
      }
      guard sides.count == 2, let width = sides[0], let height = sides[1], (1...SendbirdLimits.pixels).contains(width),
        (1...SendbirdLimits.pixels).contains(height)
      else { throw .invalid("thumbnail\(number)") }
      sizes.append((width, height))
    }
    return sizes
  }

  private static func thumbnails(
    of part: SendbirdMultipart.Part, at url: String, _ sizes: [(width: Int64, height: Int64)]
  ) -> [SendbirdThumbnail] {
    let picture = SendbirdPicture(part.bytes)
    guard picture != nil || part.type.lowercased().hasPrefix("image/") else { return [] }
    return sizes.map { size in
      SendbirdThumbnail(
        url: url, width: size.width, height: size.height, realWidth: picture.map { Int64($0.width) } ?? size.width,
        realHeight: picture.map { Int64($0.height) } ?? size.height)
    }
  }

  private static let tooLarge = SendbirdError(400_110, "The file is larger than all files may be together.")

  /// Returns the file's URL: at the request's host, or a path if the request names none.
  private func url(of file: SendbirdFile, _ request: HTTPRequest) -> String {
    let name = file.name.isEmpty ? "file" : PercentEncoding.encode(file.name)
    let root = request.host.map { "http\(isSecure ? "s" : "")://\($0)" } ?? ""
    return "\(root)\(Self.path)/\(file.id)/\(name)"
  }

  /// Returns whether the text is allowed in a header as a media type (RFC 9110 section 8.3.1), with or without
  /// parameters.
  private static func isMediaType(_ text: String) -> Bool {
    (3...200).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: "/"))
      && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
