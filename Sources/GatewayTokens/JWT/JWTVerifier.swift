package import GatewayCore
internal import GatewayJSON
internal import Synchronization

/// A verifier of JSON Web Tokens (RFC 7519) in compact JWS form (RFC 7515) with one application's keys.
///
/// The keys decide which algorithms are accepted, never the token (RFC 8725): an HS256 token "signed" with a public RSA key is
/// rejected. The verifier is synchronous and has no locks, so all loops share one. It is a class because a copy would retain
/// every key. Its policy is fixed; its keys can be replaced at any time.
///
/// Beside its own keys it may have keys that were fetched from their issuer. A token is held to the policy of the key that
/// verifies it, so one issuer's key never vouches for another.
package final class JWTVerifier: Sendable {
  package let policy: TokenPolicy
  private let state: Replaceable<State>
  private let parts: Mutex<Parts>
  /// The maximum number of fetched keys that are tried on one token.
  private static let triesMax = 16

  private struct Parts {
    var own: KeySet
    var fetched: [(owner: KeyOwner, keys: [VerificationKey])] = []
  }

  /// The keys and the headers prepared from them.
  private final class State: Sendable {
    let keys: KeySet
    let usualHeaders: UsualHeaders
    /// The `typ` of every token, if all keys want the same; otherwise the key says which once it is found.
    let type: String?
    let isTypeOfKey: Bool

    init(_ keys: KeySet, type: String?) {
      self.keys = keys
      isTypeOfKey = keys.keys.contains { $0.owner.map { $0.policy.type != type } ?? false }
      self.type = isTypeOfKey ? nil : type
      usualHeaders = UsualHeaders(keys: keys, type: self.type)
    }
  }

  package init(keys: KeySet, policy: TokenPolicy = TokenPolicy()) {
    precondition(policy.leeway >= .zero, "a negative leeway")
    self.policy = policy
    state = Replaceable(State(keys, type: policy.type))
    parts = Mutex(Parts(own: keys))
  }

  /// All keys, the verifier's own first.
  package var keys: KeySet { state.value.keys }

  /// Replaces the verifier's own keys with the keys of `other`; fetched ones stay. May be called from any thread.
  package func takeKeys(of other: JWTVerifier) {
    let own = other.parts.withLock { $0.own }
    change { $0.own = own }
  }

  /// Replaces all keys that were fetched from `owner`. May be called from any thread. Returns a function that frees the keys
  /// from before; call it once no thread can be inside a verification that had begun by now.
  package func takeFetched(_ keys: [VerificationKey], of owner: KeyOwner) -> @Sendable () -> Void {
    change { parts in
      let place = parts.fetched.firstIndex { $0.owner === owner } ?? parts.fetched.endIndex
      if place == parts.fetched.endIndex { parts.fetched.append((owner, [])) }
      parts.fetched[place].keys = keys
      if keys.isEmpty { parts.fetched.remove(at: place) }
    }
    return state.retirement()
  }

  private func change(_ body: (inout Parts) -> Void) {
    parts.withLock { parts in
      body(&parts)
      state.replace(with: State(KeySet(parts.own, with: parts.fetched.flatMap(\.keys)), type: policy.type))
    }
  }

  /// Returns the claims of `token` if every check passes at `now`; throws the first check that fails. Cheap checks come first,
  /// and the payload is not read before the signature has been verified.
  package func verify(_ token: String, at now: WallTime) throws(TokenError) -> JWTClaims {
    try open(token, at: now) { payload, owner throws(TokenError) in
      var claims = try JWTClaims(CompactToken.object(payload, .payload))
      guard let owner else {
        try check(claims, policy, at: now)
        return claims
      }
      try check(claims, owner.policy, at: now)
      claims.owner = owner
      // A logout token and a security event have this claim, and are no access tokens (OpenID Connect Back-Channel Logout
      // section 2.4, RFC 8417 section 2.2).
      guard claims["events"] == nil else { throw .typeMismatch }
      return claims
    }
  }

  func check(_ claims: JWTClaims, _ policy: TokenPolicy, at now: WallTime) throws(TokenError) {
    try checkDates(claims, policy, at: now)
    try checkIssuer(claims, policy)
    try checkAudience(claims, policy)
  }

  /// Returns the payload of `token`, of any content, if header and signature pass at `now`: the JWS part of ``verify(_:at:)``.
  package func verifySignature(_ token: String, at now: WallTime) throws(TokenError) -> [UInt8] {
    try open(token, at: now) { payload, _ throws(TokenError) in
      try CompactToken.decode(payload, .payload) { Array($0) }
    }
  }

  /// Passes the payload, still encoded, and the owner of the key to `body` if header and signature are valid.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - now: The time of day.
  ///   - isOfAnyType: Whether `body` checks `typ`, and not the policy.
  ///   - body: A function that reads the payload.
  func open<T>(
    _ token: String, at now: WallTime, isOfAnyType: Bool = false,
    _ body: (UnsafeRawBufferPointer, KeyOwner?) throws(TokenError) -> T
  ) throws(TokenError) -> T {
    guard token.utf8.count <= policy.sizeMax else { throw .tooLarge(limit: policy.sizeMax) }
    let state = state.value
    return try token.utf8.span.bytes.withUnsafeBytes { bytes throws(TokenError) in
      let token = try CompactToken(bytes)
      let header =
        if let usual = state.usualHeaders[token.header] {
          usual
        } else {
          try JWTHeader(CompactToken.object(token.header, .header), type: isOfAnyType ? nil : state.type)
        }
      let owner = try CompactToken.decode(token.signature, .signature) { signature throws(TokenError) in
        try checkSignature(signature, of: token.signingInput, header, by: state.keys, at: now)
      }
      if state.isTypeOfKey, !isOfAnyType { try header.checkType((owner?.policy ?? policy).type) }
      return try body(token.payload, owner)
    }
  }

  /// Tries every key that matches the token's `kid` and is bound to its algorithm. Returns the owner of the key that fits.
  private func checkSignature(
    _ signature: UnsafeRawBufferPointer, of input: UnsafeRawBufferPointer, _ header: JWTHeader, by keys: KeySet,
    at now: WallTime
  ) throws(TokenError) -> KeyOwner? {
    var triesLeft = Self.triesMax
    let isNamed = header.keyID.map { keys.hasKey(named: $0) } ?? false
    var failure = TokenError.keyUnknown
    for key in keys.keys {
      if let keyID = header.keyID {
        guard isNamed ? KeySet.isNamed(key, keyID) : key.id == nil else { continue }
      }
      guard key.algorithms.contains(header.algorithm) else {
        if failure == .keyUnknown { failure = .algorithmNotForKey }
        continue
      }
      guard key.isCurrent(at: now) else {
        if failure != .signature { failure = .keyEnded }
        continue
      }
      if key.owner != nil {
        guard triesLeft > 0 else { throw .keyUnknown }
        triesLeft -= 1
      }
      if key.verify(input, signature: signature, algorithm: header.algorithm) { return key.owner }
      failure = .signature
    }
    throw failure
  }

  private func checkDates(_ claims: JWTClaims, _ policy: TokenPolicy, at now: WallTime) throws(TokenError) {
    if let end = claims.expiresAt {
      guard now < end + policy.leeway else { throw .expired }
    } else if policy.requiresExpiry {
      throw .claimMissing("exp")
    }
    if let start = claims.notBefore, now < start - policy.leeway { throw .notYetValid(.notBefore) }
    if let issued = claims.issuedAt, now < issued - policy.leeway { throw .notYetValid(.issuedAt) }
  }

  private func checkIssuer(_ claims: JWTClaims, _ policy: TokenPolicy) throws(TokenError) {
    let claim = claims["iss"]
    if let claim, claim.kind != .string { throw .claimInvalid("iss", expected: "a string") }
    guard let expected = policy.issuer else { return }
    guard let claim else { throw .claimMissing("iss") }
    guard claim.string.map({ Name($0) }) == expected else {
      throw .issuerMismatch(ClaimMismatch(expected: [expected.text], presented: claim.string.map { [$0] } ?? []))
    }
  }

  private func checkAudience(_ claims: JWTClaims, _ policy: TokenPolicy) throws(TokenError) {
    let claim = claims["aud"]
    let named = claim.map { $0.elements ?? [$0] } ?? []
    guard named.allSatisfy({ $0.kind == .string }) else {
      throw .claimInvalid("aud", expected: "a string or an array of strings")
    }
    guard !policy.audiences.isEmpty else { return }
    guard claim != nil else { throw .claimMissing("aud") }
    guard named.contains(where: { $0.string.map { policy.audiences.contains(Name($0)) } ?? false }) else {
      throw .audienceMismatch(
        ClaimMismatch(expected: policy.audiences.map(\.text), presented: named.compactMap(\.string)))
    }
  }
}
