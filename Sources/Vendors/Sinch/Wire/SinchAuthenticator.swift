internal import GatewayCore

/// An authenticator of the socket's login messages: a `start`, the requested credentials, and a refusal to give them.
struct SinchAuthenticator: Authenticator {
  private let registrar: SinchRegistrar

  init(_ registrar: SinchRegistrar) {
    self.registrar = registrar
  }

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    let standing = bearer.notes?.unpacked(SinchStanding.self)
    return switch credentials.details?.unpacked(SinchDetails.self) {
    case .start(let device, let proof): judgeStart(credentials.token, device, proof, of: bearer, at: now)
    case .register(let kind, let hasEnded):
      judgeRegistration(kind.proof(credentials.token), standing, hasEnded: hasEnded, of: bearer, at: now)
    case .registerFailed(let hasEnded): judgeDeclining(standing, hasEnded: hasEnded, at: now)
    case nil: .decided(.failure(.malformedRequest))
    }
  }

  // MARK: start

  private func judgeStart(
    _ token: String, _ device: SinchDevice, _ proof: SinchInstanceProof?, of bearer: Bearer, at now: WallTime
  ) -> Judgement {
    guard bearer.user == nil else { return .decided(.failure(.malformedRequest.detailed("the client has started"))) }
    if device.user == .anonymous { return .decided(.success(Self.anonymous)) }
    guard registrar.settings.applications[device.application] != nil else {
      return .decided(.failure(SinchRefusal.unknownApplication.gatewayError))
    }
    guard isName(device.user.rawValue) else {
      return .decided(.failure(SinchRefusal.userIDInvalid.gatewayError))
    }
    if !token.isEmpty {
      return register(device, .token(token), extending: nil, asked: nil, of: bearer, at: now)
    }
    guard let proof else { return .decided(.success(Self.wanting(.first, device, at: now))) }
    let signed = SinchRequestSignature(method: "GET", timestamp: proof.timestamp, path: SinchDialect.path)
    return .pending { [registrar] in
      await Self.start(device, proof.id, signed, proof.signature, registrar, at: now)
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
        let hasEnded = try await registrar.hasEnded(id, of: device, signed: signed, as: signature, at: now)
        return .success(wanting(hasEnded ? .expired : .unknownInstance, device, at: now))
      }
    } catch {
      return .failure(error.gatewayError)
    }
  }

  // MARK: register

  private func judgeRegistration(
    _ proof: SinchProof, _ standing: SinchStanding?, hasEnded: Bool, of bearer: Bearer, at now: WallTime
  ) -> Judgement {
    guard let standing else {
      // This does not close the connection: the client may still start.
      return .decided(.success(Self.wanting(.malformedRequest.detailed("send start first"), notes: nil, at: now)))
    }
    let living = hasEnded ? nil : standing.instance
    return register(standing.device, proof, extending: living, asked: standing.asked, of: bearer, at: now)
  }

  /// Registers. If the registration only extends a valid one and fails, the instance is unchanged, as after declining:
  /// the client is told, and starts.
  private func register(
    _ device: SinchDevice, _ proof: SinchProof, extending id: Name?, asked: SinchCredentialsReason?,
    of bearer: Bearer, at now: WallTime
  ) -> Judgement {
    .pending { [registrar] in
      let errors = SinchErrorWords(explains: registrar.settings.explains)
      do throws(GatewayError) {
        let registered = try await registrar.register(
          device, proof, extending: id, unless: bearer.objection, at: now)
        var token = registered.token
        token.notes = device.notes(instance: registered.instance.id)
        token.welcome = SinchWords.userRegistered(registered.instance, secret: registered.secret)
        return .success(token)
      } catch {
        guard asked == .extend, let id, let instance = try? await registrar.directory.instance(id, at: now)
        else { return .failure(error) }
        var token = Self.started(instance, device)
        token.welcome = SinchWords.error("userRegistrationFailed", error, errors)
        return .success(token)
      }
    }
  }

  // MARK: registerFailed

  /// Handles declining, which ends a start, and leaves a valid registration until its end.
  private func judgeDeclining(_ standing: SinchStanding?, hasEnded: Bool, at now: WallTime) -> Judgement {
    guard let standing else {
      return .decided(.success(Self.wanting(.malformedRequest.detailed("send start first"), notes: nil, at: now)))
    }
    guard !hasEnded, let id = standing.instance else {
      return .decided(.failure(SinchRefusal.declined.gatewayError))
    }
    return .pending { [registrar] in
      do throws(SinchRefusal) {
        guard let instance = try await registrar.directory.instance(id, at: now) else { throw .declined }
        return .success(Self.started(instance, standing.device))
      } catch {
        return .failure(error.gatewayError)
      }
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

  private static func wanting(_ error: GatewayError, notes: Baggage?, at now: WallTime) -> VerifiedToken {
    var token = VerifiedToken(
      user: UserID(""), kind: .regular, fingerprint: TokenFingerprint(high: 0, low: 0), issuedAt: now)
    token.wants = error
    token.notes = notes
    return token
  }

  private static let anonymous = VerifiedToken(
    user: .anonymous, kind: .anonymous, fingerprint: TokenFingerprint(high: 0, low: 0))
}

extension SinchProofKind {
  fileprivate func proof(_ token: String) -> SinchProof {
    switch self {
    case .token: .token(token)
    case .ticket: .ticket(token, life: nil)
    case .signature(let sequence): .signature(token, sequence: sequence)
    }
  }
}
