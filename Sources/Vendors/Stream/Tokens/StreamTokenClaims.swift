import GatewayCore
import GatewayKit
import GatewayTokens

/// The claims of a Stream token to issue: of a user, a server, a guest, an anonymous user, or unsigned.
struct StreamTokenClaims {
  /// The kind of a token, by the names of `--kind`, e.g. `guest`.
  enum Kind: String, CaseIterable {
    /// A user token; with `--call` a call token.
    case regular
    case guest
    /// A token of the user `!anon`, with calls and an expiry.
    case anonymous
    /// `{"server":true}`, as most server SDKs write it.
    case server
    /// `{}`, as the Python SDK writes it.
    case emptyServer = "server-empty"
    /// A token with the signature `devtoken`, for applications that do not check authentication.
    case development
  }

  private let kind: Kind
  private let user: UserID?
  private let issuedAt: WallTime?
  private let expiresAt: WallTime?
  private let role: String?
  private let calls: [CallID]
  /// Further claims, which replace those above with the same name.
  private let others: [JSONMember]

  /// The values of the flags that only these tokens have.
  private struct Draft: Sendable {
    var role: String?
    var isUndated = false
  }

  @OptionList<Draft>
  private static var list: [Option<Draft>] {
    Option("role", "NAME", "stream-video: the user's role", \.role, .text)
    Option("no-issued-at", "stream-video: make a token without iat", \.isUndated)
  }

  /// The flags that only these tokens have.
  static let flags = list.map(\.flag)

  init(_ draft: MintDraft, _ arguments: Arguments, at now: WallTime) throws {
    var own = Draft()
    try arguments.read(Self.list, into: &own)
    kind = try draft.kind(of: Kind.self) ?? .regular
    let issuedAt = try draft.issuedAt()
    if own.isUndated {
      guard issuedAt == nil else { throw UsageError("--issued-at and --no-issued-at are both given; remove one") }
      self.issuedAt = nil
    } else {
      self.issuedAt = issuedAt ?? now
    }
    calls = draft.calls
    role = own.role ?? (kind == .guest ? "guest" : nil)
    others = try draft.others()
    switch kind {
    case .server, .emptyServer, .development:
      let unused = [
        draft.user != nil && kind != .development ? "user" : nil, calls.isEmpty ? nil : "call",
        own.role == nil ? nil : "role",
      ]
      if let flag = unused.compactMap(\.self).first {
        throw UsageError("--\(flag) has no effect with --kind \(kind.rawValue); leave it out")
      }
    case .regular, .guest, .anonymous: break
    }
    user = try Self.user(draft, kind)
    // Node's server SDK issues tokens for an hour, Python's without an end; tokens that name calls must end.
    let isTimeless = [.server, .emptyServer, .development].contains(kind) && draft.life == nil
    expiresAt =
      isTimeless && draft.expires == nil
      ? nil : try draft.expiry(issuedAt: self.issuedAt ?? now, usual: .seconds(3600))
    try check()
  }

  private static func user(_ draft: MintDraft, _ kind: Kind) throws -> UserID? {
    switch kind {
    case .server, .emptyServer: return nil
    case .anonymous:
      guard draft.user.map({ $0 == UserID.anonymous.rawValue }) ?? true else {
        throw UsageError("an anonymous user is !anon, and nobody else")
      }
      return .anonymous
    case .regular, .guest, .development:
      guard let user = draft.user else { throw UsageError("--user is missing; give the user that the token is for") }
      guard (1...UserID.lengthMax).contains(user.utf8.count) else {
        throw UsageError("the user has 1 to \(UserID.lengthMax) bytes")
      }
      return UserID(user)
    }
  }

  private func check() throws {
    if kind == .anonymous && calls.isEmpty {
      throw UsageError("an anonymous user's token needs --call: the calls it opens")
    }
    guard calls.count <= StreamToken.callsMax else {
      throw UsageError("a call token opens at most \(StreamToken.callsMax) calls")
    }
    guard calls.isEmpty || expiresAt != nil else { throw UsageError("a call token needs an end: --life or --expires") }
  }

  /// Returns the token, signed with `keys`, or unsigned if it is for development.
  func token(_ keys: () throws -> TokenKeys, type: String) throws -> String {
    if kind == .development {
      let header = #"{"alg":"HS256","typ":"JWT"}"#
      let parts = [Array(header.utf8), json].map { Base64URL.encode($0) }
      return (parts + [StreamToken.developmentSignature]).joined(separator: ".")
    }
    guard let signer = try keys().signer(type: type) else {
      throw UsageError("minting needs a secret or a private key; only public keys were given")
    }
    // The issuer's own form is used wherever it has one.
    if let user, kind == .regular, role == nil, others.isEmpty, let issuedAt {
      return StreamTokenIssuer(signer: signer).mint(
        user: user, kind: .regular, issuedAt: issuedAt, expiresAt: expiresAt, calls: calls.isEmpty ? nil : calls
      ).token
    }
    return signer.sign(json)
  }

  /// The claims as one JSON object, dates in whole seconds.
  private var json: [UInt8] {
    var claims: [JSONMember] = []
    if let user { claims.append(JSONMember("user_id", user.rawValue)) }
    if kind == .server { claims.append(JSONMember("server", json: "true")) }
    let isDated = kind != .emptyServer && kind != .development
    if let issuedAt, isDated { claims.append(JSONMember("iat", json: String(Int64(issuedAt.seconds.rounded(.down))))) }
    if let expiresAt { claims.append(JSONMember("exp", json: String(Int64(expiresAt.seconds.rounded(.up))))) }
    if let role { claims.append(JSONMember("role", role)) }
    if !calls.isEmpty { claims.append(JSONMember("call_cids", calls.map(\.cid))) }
    return claims.object(others)
  }
}
