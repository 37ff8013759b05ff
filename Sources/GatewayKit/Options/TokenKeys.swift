internal import GatewayCore
package import GatewayTokens

/// The keys that flags name, for minting and verifying tokens.
package struct TokenKeys {
  package static let flags = TokenKeyDraft.options.map(\.flag)
  package static let policyFlags = TokenPolicyDraft.options.map(\.flag)

  private var materials: [KeyMaterial]
  private let algorithm: JWTAlgorithm?
  private let allowsShortSecret: Bool

  private static let keyFileSizeMax = 1 << 20

  /// Returns nil if no flag names a key. Throws the flag and the fault of its key, never the key. With
  /// `allowsShortSecret` a short secret is accepted whatever the flags say.
  package init?(_ arguments: Arguments, allowsShortSecret isAllowed: Bool = false) throws {
    let draft = try TokenKeyDraft(arguments)
    algorithm = draft.algorithm
    allowsShortSecret = isAllowed || draft.allowsShortSecret
    var materials: [KeyMaterial] = []
    if let secret = try draft.secretText() {
      materials.append(try Self.material(secret, "--secret", algorithm, draft.id))
    }
    for value in draft.files { materials += try Self.keys(value, id: draft.id, algorithm) }
    if let secret = try draft.previousSecret?.secret() {
      var previous = try Self.material(secret, "--previous-secret-file", algorithm, nil)
      guard let until = draft.previousUntil else {
        throw UsageError("--previous-secret-file needs --previous-until, a time in unix seconds")
      }
      previous.endsAt = until
      materials.append(previous)
    }
    if materials.isEmpty { return nil }
    self.materials = materials
  }

  /// Returns the keys that flags name. Throws if no flag names one.
  package static func needed(_ arguments: Arguments, allowsShortSecret: Bool = false) throws -> TokenKeys {
    guard let keys = try TokenKeys(arguments, allowsShortSecret: allowsShortSecret) else {
      throw UsageError("no key: give --secret-file, POSTERN_SECRET or --key-file")
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

  /// The first key that can sign and has no end, not yet prepared; nil if there is none.
  package var signingKey: KeyMaterial? { materials.first { $0.maySign && $0.endsAt == nil } }

  /// Returns the fault of a key, with the flag that accepts it anyway.
  private static func text(_ error: KeyError) -> String {
    if case .secretTooShort = error { "\(error) (--allow-short-secret)" } else { "\(error)" }
  }

  /// Returns whether flags name a present secret or key.
  package static func areNamed(in arguments: Arguments) -> Bool {
    [TokenKeyDraft.secretOption, TokenKeyDraft.secretFileOption, TokenKeyDraft.keyFileOption]
      .contains { !arguments.values(of: $0).isEmpty }
  }

  /// Names `secret` as the secret of tokens.
  package static func set(secret: String, in arguments: inout Arguments) {
    let name = TokenKeyDraft.secretOption.flag.name
    arguments.given[name] = [Arguments.Value(text: secret, source: name)]
  }

  /// Returns the secret that is given as text or in a file; nil if none is.
  package static func secret(_ arguments: Arguments) throws -> String? { try TokenKeyDraft(arguments).secretText() }

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
