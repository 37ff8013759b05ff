internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The verifier of Streem Tokens. It checks them in the documented order, and reports the first check that fails.
///
/// `iss` determines the key, so a token is opened first, and verified when its key is available. Keys in the header
/// (`jwk`, `jku`, `x5c`, `x5u`) are ignored (RFC 8725 section 3.10).
struct StreemTokenVerifier: Sendable {
  /// The maximum size of a token in bytes.
  private static let sizeMax = 8192

  private let audience: Name
  private let skew: Duration

  /// Creates a verifier.
  ///
  /// - Parameters:
  ///   - audience: The required `aud`.
  ///   - skew: The clock tolerance.
  init(audience: Name, skew: Duration) {
    self.audience = audience
    self.skew = skew
  }

  /// A well-formed token with the id of its API key, not verified yet.
  struct OpenToken: Sendable {
    let apiKey: Name
    fileprivate let token: String
    fileprivate let header: JSONView
    let payload: JSONView
  }

  /// The use of a token, which decides which expiry counts.
  enum Use: Sendable {
    /// Starting a session: `exp` counts.
    case starting
    /// Continuing a started session: only `session_exp` counts.
    case going
  }

  /// Checks what needs no key: form, algorithm, and that `iss` names an API key.
  func open(_ token: String) throws(GatewayError) -> OpenToken {
    let decoded: UnverifiedToken
    do throws(TokenError) {
      decoded = try UnverifiedToken(token, sizeMax: Self.sizeMax)
      try decoded.checkExtensions()
    } catch {
      throw .tokenMalformed
    }
    guard decoded.header["alg"]?.equals("ES256") == true else { throw .algorithmRefused }
    let prefix = StreemClaims.issuerPrefix.utf8
    let issuer = decoded.payload["iss"]?.string
    let apiKey = Name(Substring((issuer ?? "").utf8.dropFirst(prefix.count)))
    guard let issuer, issuer.utf8.starts(with: prefix), !apiKey.text.isEmpty else {
      throw .issuerMismatch.showing(
        ClaimMismatch(expected: [StreemClaims.issuerPrefix + "…"], presented: issuer.map { [$0] } ?? []))
    }
    return OpenToken(apiKey: apiKey, token: token, header: decoded.header, payload: decoded.payload)
  }

  /// Checks the rest: `kid` if there is one, signature, audience, claims and times.
  func verify(
    _ open: OpenToken, with key: StreemVerificationKey, for use: Use = .starting, at now: WallTime
  ) throws(GatewayError) -> StreemClaims {
    if let keyID = open.header["kid"], keyID.string.map({ Name($0) }) != key.thumbprint {
      throw .keyUnknown.detailed("kid is not the thumbprint of the API key")
    }
    do throws(TokenError) {
      _ = try key.verifier.verifySignature(open.token, at: now)
    } catch TokenError.headerParameter {
      throw .tokenMalformed
    } catch {
      throw .signatureInvalid
    }
    let named = open.payload["aud"].map { $0.elements ?? [$0] } ?? []
    guard named.contains(where: { $0.string.map { Name($0) } == audience }) else {
      throw .audienceMismatch.showing(
        ClaimMismatch(expected: [audience.text], presented: named.compactMap(\.string)))
    }
    let claims = try read(open)
    guard claims.issuedAt <= now + skew else { throw .tokenUsedBeforeIssued }
    if use == .starting, claims.expiresAt + skew <= now { throw .tokenExpired }
    guard now < claims.sessionExpiresAt else { throw .sessionExpired }
    return claims
  }

  private func read(_ open: OpenToken) throws(GatewayError) -> StreemClaims {
    guard let subject = try Self.text(open.payload["sub"]).map({ Name($0) }) else { throw .claimMissing }
    guard subject.text.utf8.count <= UserID.lengthMax else { throw .claimInvalid }
    return StreemClaims(
      apiKey: open.apiKey, subject: subject, audience: audience, issuedAt: try Self.date(open.payload["iat"]),
      expiresAt: try Self.date(open.payload["exp"]), sessionExpiresAt: try Self.date(open.payload["session_exp"]),
      name: try Self.text(open.payload["name"]), email: try Self.text(open.payload["email"]),
      picture: try Self.text(open.payload["picture"]),
      reservation: try Self.text(open.payload[StreemClaims.reservationClaim]).map { Name($0) })
  }

  /// Returns the string; nil if it is absent, null or empty, which three of the vendor's builders use alike.
  private static func text(_ claim: JSONView?) throws(GatewayError) -> String? {
    guard let claim, !claim.isNull else { return nil }
    guard let text = claim.string else { throw .claimInvalid }
    return text.isEmpty ? nil : text
  }

  private static func date(_ claim: JSONView?) throws(GatewayError) -> WallTime {
    guard let claim, !claim.isNull else { throw .claimMissing }
    guard let date = NumericDate.read(claim) else { throw .claimInvalid }
    return date
  }
}

/// The public half of an API key, prepared for verifying signatures.
struct StreemVerificationKey: Sendable {
  /// The RFC 7638 thumbprint, which a token's `kid` must equal if it has one.
  let thumbprint: Name
  let verifier: JWTVerifier

  init(_ key: P256PublicKey) throws(KeyError) {
    thumbprint = Name(key.thumbprint)
    verifier = JWTVerifier(keys: try key.keySet)
  }
}
