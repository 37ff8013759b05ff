internal import GatewayCore
internal import GatewayTokens

/// The source of new tokens: a refresh token is `prt_`, the handle of its grant and a secret, for instance.
struct OpenIDSecrets {
  static let size = 32
  private static let refreshPrefix = "prt_"
  private static let handleSize = 16

  /// Names a new grant.
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

  /// The name of a grant, which says nothing that its refresh tokens are made of.
  static func sid(_ handle: [UInt8]) -> Name {
    Name(Base64URL.encode(Array(SHA256.digest(handle).prefix(handleSize))))
  }

  /// What a refresh token is made of; nil if it has another form.
  static func parts(_ token: String) -> (handle: [UInt8], secret: [UInt8])? {
    guard token.utf8.starts(with: refreshPrefix.utf8), token.utf8.count == 68,
      let bytes = Base64URL.decode(String(Substring(token.utf8.dropFirst(refreshPrefix.utf8.count)))),
      bytes.count == handleSize + size
    else { return nil }
    return (Array(bytes.prefix(handleSize)), Array(bytes.dropFirst(handleSize)))
  }
}
