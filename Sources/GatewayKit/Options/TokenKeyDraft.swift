internal import GatewayCore
internal import GatewayTokens

/// The values of the flags about keys, before they are checked together.
struct TokenKeyDraft: Sendable {
  private var secret: String?
  private var secretFile: Arguments.Value?
  private(set) var algorithm: JWTAlgorithm?
  private(set) var files: [Arguments.Value] = []
  private(set) var id: String?
  /// The file of the secret before the present one.
  private(set) var previousSecret: Arguments.Value?
  private(set) var previousUntil: WallTime?
  private(set) var allowsShortSecret = false

  static let secretOption = Option<TokenKeyDraft>(
    "secret", "TEXT",
    "the HMAC secret that signs tokens; other users of the machine can read a command line, so prefer --secret-file",
    \.secret, .text)
  static let secretFileOption = Option<TokenKeyDraft>(
    "secret-file", "FILE", "the file with the HMAC secret that signs tokens", \.secretFile, .asGiven)
  static let keyFileOption = Option<TokenKeyDraft>(
    "key-file", "FILE", "a file with keys that verify tokens, PEM or a JWK set; a private key also signs them",
    each: \.files)

  @OptionList<TokenKeyDraft>
  static var options: [Option<TokenKeyDraft>] {
    secretOption
    secretFileOption
    Option(
      "algorithm", "ALG",
      "the algorithm that signs tokens: HS256 (default for a secret), HS384, ..., EdDSA (default: the key's own)"
    ) { value, draft in
      guard let algorithm = JWTAlgorithm(name: value.text) else {
        throw UsageError(
          value.source, value: value.text, expected: JWTAlgorithm.allCases.map(\.name).joined(separator: ", "))
      }
      draft.algorithm = algorithm
    }
    keyFileOption
    Option("key-id", "KID", "the name of the secret or PEM key, the kid in the header of tokens", \.id, .text)
    Option(
      "previous-secret-file", "FILE", "the file with the secret before a rotation, whose tokens are still accepted",
      \.previousSecret, .asGiven)
    Option(
      "previous-until", "UNIX_S", "when tokens of --previous-secret-file stop being accepted, in Unix seconds",
      \.previousUntil,
      Reading<Double>.number(0...1e11).map { seconds, _ in WallTime(seconds: seconds) })
    Option(
      "allow-short-secret", "accept a secret shorter than its hash, for tests (RFC 7518 section 3.2 forbids it)",
      \.allowsShortSecret)
  }

  init(_ arguments: Arguments) throws { try arguments.read(Self.options, into: &self) }

  /// Returns the secret that is given as text or in a file; nil if none is.
  func secretText() throws -> String? {
    switch (secret, secretFile) {
    case (_?, _?): throw UsageError("--secret and --secret-file are both given; remove one")
    case (let secret?, nil):
      guard !secret.isEmpty else { throw UsageError("--secret is empty") }
      return secret
    case (nil, let file?): return try file.secret()
    case (nil, nil): return nil
    }
  }
}
