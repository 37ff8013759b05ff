internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// An authenticator of Streem Tokens, which also logs their users in.
struct StreemAuthenticator: Authenticator {
  private let verifier: StreemTokenVerifier
  private let keyring: StreemKeyring
  private let directory: StreemDirectory
  private let settings: StreemSettings
  private let secrets: Secrets

  init(keyring: StreemKeyring, directory: StreemDirectory, settings: StreemSettings, secrets: Secrets) {
    self.secrets = secrets
    verifier = StreemTokenVerifier(audience: settings.audience, skew: settings.skew)
    self.keyring = keyring
    self.directory = directory
    self.settings = settings
  }

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    do throws(GatewayError) {
      let details = credentials.details?.unpacked(StreemDetails.self) ?? StreemDetails()
      try checkVersion(details.sdkVersion)
      let open = try verifier.open(credentials.token)
      return .pending { await logIn(open, credentials, details, at: now) }
    } catch {
      return .decided(.failure(error))
    }
  }

  /// Throws if the client's version is older than the oldest accepted one. A client without a version is accepted.
  func checkVersion(_ text: String?) throws(GatewayError) {
    guard let oldest = settings.oldestVersion, let version = text.flatMap({ SDKVersion($0) }) else { return }
    if version < oldest { throw .clientOutdated }
  }

  private func logIn(
    _ open: StreemTokenVerifier.OpenToken, _ credentials: Credentials, _ details: StreemDetails, at now: WallTime
  ) async -> Verdict {
    do throws(GatewayError) {
      let (claims, company) = try await check(
        open, companyCode: details.companyCode.map { Name($0) }, at: now)
      let fingerprint = TokenFingerprint(of: credentials.token)
      guard claims.subject != UserID.anonymous.name else {
        return .success(
          VerifiedToken(
            user: .anonymous, kind: .anonymous, fingerprint: fingerprint, issuedAt: claims.issuedAt,
            expiresAt: claims.sessionExpiresAt, issuer: claims.apiKey))
      }
      let user = try await directory.identify(login(claims, details, company), at: now)
      var verified = VerifiedToken(
        user: StreemName(user).userID(home: settings.homeCompany.code), kind: user.kind, fingerprint: fingerprint,
        issuedAt: claims.issuedAt, expiresAt: claims.sessionExpiresAt, welcome: user.json(company),
        issuer: claims.apiKey)
      verified.doubt = NumericDate.doubt(open.payload["session_exp"])
      return .success(verified)
    } catch {
      return .failure(error)
    }
  }

  /// Makes the checks that need the directory.
  private func check(
    _ open: StreemTokenVerifier.OpenToken, companyCode: Name?, for use: StreemTokenVerifier.Use = .starting,
    at now: WallTime
  ) async throws(GatewayError) -> (StreemClaims, StreemCompany) {
    guard let (code, key) = try await keyring.key(open.apiKey, at: now),
      let company = try await directory.company(code, at: now)
    else {
      throw .applicationUnknown
    }
    let claims = try verifier.verify(open, with: key, for: use, at: now)
    if let sid = claims.reservation {
      guard let reservation = try await directory.reservation(sid, at: now), reservation.status == .reserved,
        reservation.company == code, reservation.externalUserID == claims.subject
      else { throw .reservationInvalid }
    }
    guard company.isActive else { throw .companyForbidden.detailed("the company is not active") }
    if let companyCode, companyCode != code {
      let isKnown = try await directory.company(companyCode, at: now) != nil
      throw isKnown ? .companyForbidden : .companyUnknown
    }
    return (claims, company)
  }

  /// Returns the user of a token whose session has started, for a request over HTTP. Throws
  /// ``GatewayError/connectionRequired`` if there is no token.
  func caller(
    _ request: HTTPRequest, on services: any GatewayServices
  ) async throws(GatewayError) -> (user: StreemUser, token: VerifiedToken) {
    guard request.header("authorization") != nil else { throw .connectionRequired }
    guard let presented = request.bearerToken else {
      throw .credentialsMissing.detailed("Authorization is not Bearer and a Streem Token")
    }
    let open = try verifier.open(presented)
    let now = services.wallTime
    let (claims, company) = try await check(open, companyCode: nil, for: .going, at: now)
    guard claims.subject != UserID.anonymous.name else { throw .connectionRequired }
    guard let user = try await directory.user(company: company.code, externalID: claims.subject, at: now) else {
      throw .connectionRequired
    }
    let token = VerifiedToken(
      user: StreemName(user).userID(home: settings.homeCompany.code), kind: user.kind,
      fingerprint: TokenFingerprint(of: presented), issuedAt: claims.issuedAt, expiresAt: claims.sessionExpiresAt,
      issuer: claims.apiKey)
    if let refusal = await services.refusal(of: token, shownTo: StreemSettings.dialect, isRefresh: false) {
      throw refusal
    }
    guard await services.isConnected(token.user) else { throw .connectionRequired }
    return (user, token)
  }

  private func login(_ claims: StreemClaims, _ details: StreemDetails, _ company: StreemCompany) -> StreemLogin {
    StreemLogin(
      company: company.code, externalID: claims.subject, newID: Name(StreemID.make("usr", from: secrets)),
      name: details.name ?? claims.name, email: claims.email,
      avatarURL: details.avatarURL ?? claims.picture,
      isExpert: details.isExpert)
  }
}

extension StreemUser {
  /// The user's kind: an invited customer is a guest.
  var kind: UserKind { isInvited ? .guest : .regular }
}
