package import GatewayCore

/// Judges what clients present over the socket: a `start`, the credentials they are asked for, and their declining.
package struct SinchAuthenticator: Authenticator {
  private let registrar: SinchRegistrar

  package init(_ registrar: SinchRegistrar) {
    self.registrar = registrar
  }

  package func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    switch credentials.detail(SinchField.message).flatMap(SinchMessage.init(rawValue:)) {
    case .start: judgeStart(credentials, of: bearer, at: now)
    case .register: judgeRegistration(credentials, of: bearer, at: now)
    case .registerFailed: judgeDeclining(credentials, of: bearer, at: now)
    case nil: .decided(.failure(.malformedRequest))
    }
  }

  // MARK: start

  private func judgeStart(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    guard bearer.user == nil else { return .decided(.failure(.malformedRequest.detailed("the client has started"))) }
    guard let device = SinchDevice({ credentials.detail($0) }) else { return .decided(.failure(.invalidParameter)) }
    if device.user == .anonymous { return .decided(.success(Self.anonymous)) }
    guard registrar.settings.applications[device.application] != nil else {
      return .decided(.failure(SinchRefusal.unknownApplication.gatewayError))
    }
    guard isName(device.user.rawValue) else {
      return .decided(.failure(SinchRefusal.userIDInvalid.gatewayError))
    }
    if !credentials.token.isEmpty {
      return register(device, .token(credentials.token), extending: nil, asked: nil, at: now)
    }
    guard let id = credentials.detail(SinchDevice.Note.instance).map({ Name($0) }) else {
      return .decided(.success(Self.wanting(.first, device, at: now)))
    }
    let signed = SinchRequestSignature(
      method: "GET", timestamp: credentials.detail(SinchField.timestamp) ?? "", path: SinchDialect.path)
    let signature = credentials.detail(SinchField.signature) ?? ""
    return .pending { [registrar] in
      await Self.start(device, id, signed, signature, registrar, at: now)
    }
  }

  private func isName(_ name: String) -> Bool {
    SinchUserName.isCurrent(name) || (registrar.settings.offersLegacy && SinchUserName.isLegacyWeb(name))
  }

  private static func start(
    _ device: SinchDevice, _ id: Name, _ signed: SinchRequestSignature, _ signature: String,
    _ registrar: SinchRegistrar, at now: WallTime
  ) async -> Verdict {
    do throws(SinchRefusal) {
      let instance = try await registrar.instance(id, signed: signed, as: signature, at: now)
      guard instance.isOf(device.application, device.user, device.device) else {
        return .success(wanting(.unknownInstance, device, at: now))
      }
      if SinchRenewal.isDue(instance, at: now) {
        return .success(wanting(.extend, device, instance: id, at: now))
      }
      return .success(started(instance, device))
    } catch .instanceUnknown {
      let hasEnded = await registrar.hasEnded(id, of: device.application, signed: signed, as: signature, at: now)
      return .success(wanting(hasEnded ? .expired : .unknownInstance, device, at: now))
    } catch {
      return .failure(error.gatewayError)
    }
  }

  // MARK: register

  private func judgeRegistration(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    guard let device = SinchDevice({ bearer.note($0) }) else {
      // Not the end: the client may still start.
      return .decided(.success(Self.wanting(.malformedRequest.detailed("send start first"), notes: [], at: now)))
    }
    guard let proof = Self.proof(in: credentials) else { return .decided(.failure(.invalidParameter)) }
    let asked = bearer.note(SinchDevice.Note.asked).flatMap(SinchCredentialsReason.init(rawValue:))
    return register(device, proof, extending: Self.living(credentials, bearer), asked: asked, at: now)
  }

  /// The instance that the connection has, or had until its registration ended.
  private static func living(_ credentials: Credentials, _ bearer: Bearer) -> Name? {
    credentials.detail(SinchField.hasEnded) == nil
      ? bearer.note(SinchDevice.Note.instance).map { Name($0) } : nil
  }

  private static func proof(in credentials: Credentials) -> SinchProof? {
    switch credentials.detail(SinchField.proof) {
    case SinchField.token: .token(credentials.token)
    case SinchField.ticket: .ticket(credentials.token, life: nil)
    case SinchField.signature:
      credentials.detail(SinchField.sequence).flatMap(SinchMobileSignature.sequence).map {
        .signature(credentials.token, sequence: $0)
      }
    default: nil
    }
  }

  /// A registration that fails where it was only to extend one that lives leaves the instance as it was, as declining
  /// does: the client is told, and starts.
  private func register(
    _ device: SinchDevice, _ proof: SinchProof, extending id: Name?, asked: SinchCredentialsReason?,
    at now: WallTime
  ) -> Judgement {
    .pending { [registrar] in
      let errors = SinchErrorWords(explains: registrar.settings.explains)
      do throws(SinchRefusal) {
        let registered = try await registrar.register(device, proof, extending: id, at: now)
        var token = registered.token
        token.notes = device.notes(instance: registered.instance.id)
        token.welcome = SinchWords.userRegistered(registered.instance, secret: registered.secret)
        return .success(token)
      } catch {
        guard asked == .extend, let id, case .alive(let instance) = await registrar.directory.instance(id, at: now)
        else { return .failure(error.gatewayError) }
        var token = Self.started(instance, device)
        token.welcome = SinchWords.error("userRegistrationFailed", error.gatewayError, errors)
        return .success(token)
      }
    }
  }

  // MARK: registerFailed

  /// Declining ends a start, and leaves what lives as long as it lives.
  private func judgeDeclining(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    guard let device = SinchDevice({ bearer.note($0) }) else {
      return .decided(.success(Self.wanting(.malformedRequest.detailed("send start first"), notes: [], at: now)))
    }
    guard let id = Self.living(credentials, bearer) else {
      return .decided(.failure(SinchRefusal.declined.gatewayError))
    }
    return .pending { [registrar] in
      guard case .alive(let instance) = await registrar.directory.instance(id, at: now) else {
        return .failure(SinchRefusal.declined.gatewayError)
      }
      return .success(Self.started(instance, device))
    }
  }

  // MARK: Verdicts

  private static func started(_ instance: SinchInstance, _ device: SinchDevice) -> VerifiedToken {
    var token = SinchRegistrar.token(of: instance)
    token.notes = device.notes(instance: instance.id)
    return token
  }

  private static func wanting(
    _ reason: SinchCredentialsReason, _ device: SinchDevice, instance: Name? = nil, at now: WallTime
  ) -> VerifiedToken {
    wanting(
      .credentialsMissing.because(reason.rawValue), notes: device.notes(instance: instance, asked: reason), at: now)
  }

  private static func wanting(_ error: GatewayError, notes: [HTTPField], at now: WallTime) -> VerifiedToken {
    var token = VerifiedToken(
      user: UserID(""), kind: .regular, fingerprint: TokenFingerprint(high: 0, low: 0), issuedAt: now)
    token.wants = error
    token.notes = notes
    return token
  }

  private static let anonymous = VerifiedToken(
    user: .anonymous, kind: .anonymous, fingerprint: TokenFingerprint(high: 0, low: 0))
}
