internal import GatewayCore
internal import GatewayTokens

/// A registrar that turns credentials into instances, for the socket and for HTTP.
struct SinchRegistrar: Sendable {
  let settings: SinchSettings
  let directory: SinchDirectory
  let secrets: Secrets
  private let verifier: SinchTokenVerifier

  init(settings: SinchSettings, directory: SinchDirectory, secrets: Secrets) {
    self.secrets = secrets
    self.settings = settings
    self.directory = directory
    verifier = SinchTokenVerifier(applications: settings.applications, policy: settings.tokens)
  }

  /// The result of a registration.
  struct Registered: Sendable {
    var instance: SinchInstance
    /// The secret of a new instance; nil for an extended one, whose client knows it.
    var secret: [UInt8]?
    var token: VerifiedToken
  }

  /// Registers `device` with `proof`, extending the instance with that id if it is valid. Checks that need no directory
  /// come first, then all others; only an accepted proof is used up.
  nonisolated(nonsending) func register(
    _ device: SinchDevice, _ proof: SinchProof, extending extended: Name? = nil, unless objection: Bearer.Objection?,
    at now: WallTime
  ) async throws(GatewayError) -> Registered {
    let order: Order
    do throws(SinchRefusal) {
      order = try check(proof, of: device, at: now)
    } catch {
      guard case .token(let token) = proof else { throw error.gatewayError }
      throw SinchTokenVerifier.error(for: error, of: token)
    }
    let token = Self.token(of: order.instance)
    guard order.kind != .anonymous else { return Registered(instance: order.instance, secret: nil, token: token) }
    if let refusal = await objection?(token) { throw refusal }
    let registration = SinchRegistration(
      proof: order.proof, instance: order.instance, extends: extended, keepsLimits: order.keepsLimits)
    let instance: SinchInstance
    do throws(SinchRefusal) {
      instance = try await directory.register(registration, at: now)
    } catch {
      throw error.gatewayError
    }
    let isNew = instance.id == order.instance.id
    return Registered(instance: instance, secret: isNew ? order.secret : nil, token: Self.token(of: instance))
  }

  /// Returns the rights of a valid instance.
  static func token(of instance: SinchInstance) -> VerifiedToken {
    // The registration ends, not the token: if a nonce may be replayed, the same token extends it.
    VerifiedToken(
      user: instance.user, kind: instance.kind, fingerprint: instance.fingerprint, id: instance.id.text,
      issuedAt: instance.issuedAt, expiresAt: instance.endsAt, renewal: .sessionEnd)
  }

  // MARK: Checks without the directory

  private struct Order {
    var proof: SinchRegistration.Proof
    var instance: SinchInstance
    var secret: [UInt8]
    var keepsLimits: Bool
    var kind: UserKind { instance.kind }
  }

  private func check(
    _ proof: SinchProof, of device: SinchDevice, at now: WallTime
  ) throws(SinchRefusal) -> Order {
    guard let application = settings.applications[device.application] else { throw .unknownApplication }
    switch proof {
    case .token(let text):
      let token = try verifier.verify(text, user: device.user, application: application.key, at: now)
      let nonce = SinchRegistration.Proof.nonce(
        token.nonce, until: token.expiresAt + settings.tokens.clockSkew, replay: settings.tokens.nonceReplay)
      return order(
        nonce, device, application, kind: token.kind, endsAt: token.instanceEndsAt, fingerprint: token.fingerprint,
        issuedAt: token.issuedAt, keepsLimits: true, at: now)
    case .signature(let signature, let sequence):
      guard settings.offersLegacy else { throw .malformed }
      guard SinchUserName.isCurrent(device.user.rawValue) else { throw .userIDInvalid }
      try SinchMobileSignature.check(signature, user: device.user, application: application, sequence: sequence)
      return order(
        .sequence(sequence), device, application, endsAt: nil, fingerprint: TokenFingerprint(of: signature),
        issuedAt: now, at: now)
    case .ticket(let text, let life):
      guard settings.offersLegacy else { throw .malformed }
      let ticket = try SinchUserTicket.verify(
        text, applications: settings.applications, user: device.user, application: application.key,
        skew: settings.tokens.clockSkew, at: now)
      return order(
        .ticket, device, application, endsAt: life.map { now + min($0, settings.legacyInstanceLifeMax) },
        fingerprint: ticket.fingerprint, issuedAt: ticket.createdAt, at: now)
    }
  }

  private func order(
    _ proof: SinchRegistration.Proof, _ device: SinchDevice, _ application: SinchApplication,
    kind: UserKind = .regular, endsAt: WallTime?, fingerprint: TokenFingerprint, issuedAt: WallTime,
    keepsLimits: Bool = false, at now: WallTime
  ) -> Order {
    let id = Name(SinchIdentifier.make(from: secrets))
    let secret = SinchInstanceSecret.make(id: id, of: application)
    let instance = SinchInstance(
      id: id, application: device.application, user: device.user, kind: kind, device: device.device,
      secretHash: SinchInstanceSecret.hash(secret), createdAt: now, endsAt: endsAt, fingerprint: fingerprint,
      issuedAt: issuedAt)
    return Order(proof: proof, instance: instance, secret: secret, keepsLimits: keepsLimits)
  }

  // MARK: Instances

  /// Returns the instance with that id whose secret signed `request`. Throws the error for what is missing in the
  /// request.
  func instance(
    _ id: Name, signed request: SinchRequestSignature, as signature: String, at now: WallTime
  ) async throws(SinchRefusal) -> SinchInstance {
    try checkTimestamp(request.timestamp, at: now)
    guard let instance = try await directory.instance(id, at: now),
      let application = settings.applications[instance.application],
      let secret = SinchInstanceSecret.recover(instance, of: application)
    else { throw .instanceUnknown }
    guard request.isSigned(signature, by: [secret]) else { throw .badSignature }
    return instance
  }

  /// Returns whether the device's instance with that id has ended. Only a client that signed `request` with the
  /// instance's secret gets true; for others it looks as if there never was one.
  func hasEnded(
    _ id: Name, of device: SinchDevice, signed request: SinchRequestSignature, as signature: String, at now: WallTime
  ) async throws(SinchRefusal) -> Bool {
    guard let application = settings.applications[device.application],
      request.isSigned(signature, by: SinchInstanceSecret.candidates(id: id, of: application))
    else { return false }
    return try await directory.hasEnded(id, of: device.application, device.user, device.device, at: now)
  }

  /// Throws unless `text` is a time within the window around `now`.
  func checkTimestamp(_ text: String, at now: WallTime) throws(SinchRefusal) {
    guard let time = SinchCalendar.read(text) else { throw .timestampMissing }
    let distance = time > now ? time - now : now - time
    guard distance <= settings.timestampWindow else { throw .timestampOutOfRange }
  }
}
