internal import GatewayCore
package import GatewayTokens

/// The keys that flags name, for minting and verifying tokens.
package struct TokenKeys {
  package static let flags = [
    Flag("secret", "TEXT", "the HMAC secret of tokens; rather from POSTERN_SECRET or a file than on a command line"),
    Flag("secret-file", "FILE", "the HMAC secret of tokens"),
    Flag("algorithm", "ALG", "the algorithm: HS256 (default for a secret), HS384, ..., EdDSA (default: the key's own)"),
    Flag("key-file", "FILE", "keys of tokens: PEM or a JWK set; a private key mints too", repeats: true),
    Flag("key-id", "KID", "the name of the secret or PEM key, for kid"),
    Flag("previous-secret-file", "FILE", "the secret before the present one"),
    Flag("previous-until", "UNIX_S", "until when the previous secret is good"),
    Flag("allow-short-secret", nil, "accept a secret shorter than its hash (RFC 7518 section 3.2), for tests"),
  ]

  package static let policyFlags = [
    Flag("issuer", "TEXT", "the iss that tokens must have, and are minted with"),
    Flag("audience", "TEXT", "the aud that tokens must have, and are minted with"),
    Flag("leeway", "DURATION", "the clock skew that exp, nbf and iat allow for (default 5s)"),
  ]

  private var materials: [KeyMaterial]
  private let algorithm: JWTAlgorithm?
  private let allowsShortSecret: Bool

  private static let keyFileSizeMax = 1 << 20

  /// Returns nil if no flag names a key. Throws the flag and the fault of its key, never the key. With
  /// `allowsShortSecret` a short secret is accepted whatever the flags say.
  package init?(_ arguments: Arguments, allowsShortSecret isAllowed: Bool = false) throws {
    algorithm = try Self.algorithm(arguments)
    allowsShortSecret = try isAllowed || arguments.isOn("allow-short-secret")
    var materials: [KeyMaterial] = []
    if let secret = try Self.secret(arguments) {
      materials.append(try Self.material(secret, "--secret", algorithm, arguments.string("key-id")))
    }
    for value in arguments.values("key-file") {
      materials += try Self.keys(value, id: arguments.string("key-id"), algorithm)
    }
    if let secret = try arguments.secret("previous-secret-file") {
      var previous = try Self.material(secret, "--previous-secret-file", algorithm, nil)
      guard let until = try arguments.number("previous-until", in: 0...1e11) else {
        throw UsageError("--previous-secret-file needs --previous-until, a time in unix seconds")
      }
      previous.endsAt = WallTime(seconds: until)
      materials.append(previous)
    }
    if materials.isEmpty { return nil }
    self.materials = materials
  }

  /// Returns the keys that flags name. Throws if no flag names one.
  package static func needed(_ arguments: Arguments, allowsShortSecret: Bool = false) throws -> TokenKeys {
    guard let keys = try TokenKeys(arguments, allowsShortSecret: allowsShortSecret) else {
      throw UsageError("no key: --secret-file, POSTERN_SECRET or --key-file")
    }
    return keys
  }

  private static let ownKeyID = "postern-own"

  /// Returns a random secret for ``addOwnKey(_:)``.
  package static func newOwnKey() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

  /// Creates an empty set of keys.
  package init() {
    algorithm = nil
    allowsShortSecret = false
    materials = []
  }

  /// Adds a secret of the process itself, so that it can mint even if it was given no key to mint with. The secret is
  /// `kept`, which an earlier run has stored, or a random one.
  package mutating func addOwnKey(_ kept: String? = nil) throws {
    var key = try KeyMaterial.secret(kept.map { Array($0.utf8) } ?? SecureRandom.bytes(32))
    key.id = Self.ownKeyID
    materials.append(key)
  }

  package func verifier(_ policy: TokenPolicy) throws -> JWTVerifier {
    do {
      let keys = try materials.filter(\.mayVerify).map {
        try VerificationKey($0, allowingShortSecret: allowsShortSecret)
      }
      return JWTVerifier(keys: try KeySet(keys), policy: policy)
    } catch let error as KeyError {
      throw UsageError("the keys of tokens: \(Self.text(error))")
    }
  }

  /// Returns a signer with the first key that can sign; nil if none can.
  package func signer(type: String = "JWT") throws -> JWTSigner? {
    var failure: KeyError?
    for material in materials where material.maySign && material.endsAt == nil {
      do throws(KeyError) {
        let algorithm = material.id == Self.ownKeyID ? nil : algorithm
        return try JWTSigner(
          material, algorithm: algorithm, type: type, allowingShortSecret: allowsShortSecret)
      } catch {
        if error != .notPrivate { failure = error }
      }
    }
    if let failure { throw UsageError("the key to mint with: \(Self.text(failure))") }
    return nil
  }

  /// Returns the fault of a key, with the flag that accepts it anyway.
  private static func text(_ error: KeyError) -> String {
    if case .secretTooShort = error { "\(error) (--allow-short-secret)" } else { "\(error)" }
  }

  package static func policy(_ arguments: Arguments) throws -> TokenPolicy {
    var policy = TokenPolicy()
    if let leeway = try arguments.duration("leeway") { policy.leeway = leeway }
    policy.issuer = arguments.string("issuer").map { Name($0) }
    policy.audiences = arguments.string("audience").map { [Name($0)] } ?? []
    return policy
  }

  private static func algorithm(_ arguments: Arguments) throws -> JWTAlgorithm? {
    guard let value = arguments.value("algorithm") else { return nil }
    guard let algorithm = JWTAlgorithm(name: value.text) else {
      throw UsageError(
        value.source, value: value.text, expected: JWTAlgorithm.allCases.map(\.name).joined(separator: ", "))
    }
    return algorithm
  }

  /// Returns the secret that is given as text; nil if none is.
  package static func secret(_ arguments: Arguments) throws -> String? {
    switch (arguments.string("secret"), arguments.value("secret-file")) {
    case (_?, _?): throw UsageError("--secret and --secret-file are both given; one of them is meant")
    case (let secret?, nil):
      guard !secret.isEmpty else { throw UsageError("--secret is empty") }
      return secret
    case (nil, let file?): return try SecretFile.read(file.text, of: file)
    case (nil, nil): return nil
    }
  }

  private static func material(
    _ secret: String, _ flag: String, _ algorithm: JWTAlgorithm?, _ id: String?
  ) throws -> KeyMaterial {
    do {
      let algorithms = algorithm.map { AlgorithmSet([$0]) } ?? AlgorithmSet([.hs256])
      var material = try KeyMaterial.secret(Array(secret.utf8), algorithms: algorithms)
      material.id = id
      return material
    } catch {
      throw UsageError("\(flag): \(error)")
    }
  }

  private static func keys(
    _ file: Arguments.Value, id: String?, _ algorithm: JWTAlgorithm?
  ) throws -> [KeyMaterial] {
    let bytes = try InputFile.read(file.text, of: file, sizeMax: keyFileSizeMax)
    do {
      if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") { return try KeyMaterial.jwks(bytes) }
      guard String(decoding: bytes, as: UTF8.self).contains(bytesOf: "-----BEGIN ") else { throw KeyError.notKeyFile }
      var material = try KeyMaterial.pem(bytes)
      material.id = id
      if let algorithm { material.algorithms = AlgorithmSet([algorithm]) }
      return [material]
    } catch {
      throw UsageError("\(file.source) \(file.text): \(error)")
    }
  }
}
