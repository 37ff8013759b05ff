internal import GatewayCore
internal import GatewayTokens

/// A generator of tokens.
struct OpenIDSecrets {
  static let size = 32
  private static let refreshPrefix = "prt_"
  private static let handleSize = 16

  /// The bytes that identify a new grant.
  let handle: [UInt8]
  let secret: [UInt8]
  let access: String
  let accessHash: [UInt8]

  init(_ secrets: Secrets) {
    handle = secrets.bytes(Self.handleSize)
    secret = secrets.bytes(Self.size)
    (access, accessHash) = AccessToken.mint(from: secrets)
  }

  static func refreshToken(_ handle: [UInt8], _ secret: [UInt8]) -> String {
    refreshPrefix + Base64URL.encode(handle + secret)
  }

  /// Returns the name of a grant, from which its refresh tokens cannot be derived.
  static func sid(_ handle: [UInt8]) -> Name {
    Name(Base64URL.encode(Array(SHA256.digest(handle).prefix(handleSize))))
  }

  /// Splits a refresh token into its parts; returns nil for another form.
  static func parts(_ token: String) -> (handle: [UInt8], secret: [UInt8])? {
    guard token.utf8.starts(with: refreshPrefix.utf8), token.utf8.count == 68,
      let bytes = Base64URL.decode(String(Substring(token.utf8.dropFirst(refreshPrefix.utf8.count)))),
      bytes.count == handleSize + size
    else { return nil }
    return (Array(bytes.prefix(handleSize)), Array(bytes.dropFirst(handleSize)))
  }
}
